#include "csrc/autograd/graph_survey.h"

#include <utility>

#include "csrc/lifetime/registry.h"

namespace garboard {

GradientHooks* GraphSurvey::Thing::hooks() const noexcept {
  if (node) return node->hooks();
  return body->grad_state ? body->grad_state->hooks.get() : nullptr;
}

std::vector<Foreign*> GraphSurvey::Thing::foreign() const {
  std::vector<Foreign*> found;
  const GradNode::Seldom* const seldom = node ? node->seldom() : nullptr;
  if (!seldom) return found;
  if (seldom->foreign) found.push_back(seldom->foreign.get());
  if (seldom->node_hooks) found.push_back(seldom->node_hooks.get());
  for (const auto& packed : seldom->packed) found.push_back(packed.tensor.get());
  return found;
}

std::size_t GraphSurvey::meet(const void* at, Thing thing) {
  const auto [it, is_new] = places_.try_emplace(at, things_.size());
  if (is_new) things_.push_back(std::move(thing));
  return it->second;
}

template <class T>
void GraphSurvey::hold(std::size_t holder, T* held) {
  if (!held) return;
  const std::size_t next = meet(held);
  ++things_[next].shares_found;
  things_[holder].behind.push_back(next);
}

void GraphSurvey::look_behind(std::size_t place) {
  if (TensorBody* const body = things_[place].body) {
    hold(place, body->grad_node.get());
    hold(place, body->base.get());
    if (const GradState* const state = body->grad_state.get()) {
      hold(place, state->grad.body());
      hold(place, state->retaining.get());
    }
    return;
  }
  GradNode* const node = things_[place].node;
  for (const Edge& edge : node->edges()) {
    hold(place, edge.node.get());
    hold(place, edge.leaf.body());
  }
  node->for_each_kept([&](const SavedTensor& kept) { hold(place, kept.tensor.body()); });
  if (!node->seldom()) return;
  hold(place, node->seldom()->inner.get());
  for (const auto& packed : node->seldom()->packed) {
    hold(place, packed.history.node.get());
    hold(place, packed.history.leaf.body());
  }
}

void GraphSurvey::keep_what_others_hold() {
  std::vector<std::size_t> open;
  const auto keep = [&](std::size_t place) {
    if (!std::exchange(things_[place].is_kept, true)) open.push_back(place);
  };
  for (std::size_t i = 0; i < things_.size(); ++i) {
    if (things_[i].share_count() != things_[i].shares_found) keep(i);
  }
  while (!open.empty()) {
    const std::size_t place = open.back();
    open.pop_back();
    for (const std::size_t next : things_[place].behind) keep(next);
  }
}

void GraphSurvey::run() {
  for (std::size_t i = 0; i < things_.size(); ++i) look_behind(i);
  keep_what_others_hold();
}

std::size_t end_cyclic_gradients() {
  if (!were_gradients_recorded()) return 0;
  std::vector<GradNode*> nodes;
  nodes.reserve(static_cast<std::size_t>(registry().live().nodes) + 64);
  registry().for_each_node([&](NodeRecord& it) {
    if (nodes.size() < nodes.capacity()) nodes.push_back(static_cast<GradNode*>(&it));
  });
  GraphSurvey survey;
  for (GradNode* const node : nodes) survey.meet(node);
  survey.run();
  std::vector<Tensor> ended;
  bool are_recorded = false;
  for (const GraphSurvey::Thing& it : survey.things()) {
    if (!it.body || !it.body->grad_state || !it.body->grad_state->grad) continue;
    if (!it.is_kept) {
      ended.push_back(std::move(it.body->grad_state->grad));
    } else {
      are_recorded = are_recorded || it.body->grad_state->grad.requires_grad();
    }
  }
  // A gradient whose nodes have all gone is in no cycle, nor is one that nothing records.
  if (!are_recorded) forget_recorded_gradients();
  return ended.size();
}

}  // namespace garboard
