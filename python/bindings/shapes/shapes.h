// The tables of shapes, one a file.
#pragma once

namespace garboard::python {

void add_piece_methods();
void add_window_methods();
void add_join_methods();

}  // namespace garboard::python
