// Package nsysstats gives the tables of `nsys stats` for any timeline: summaries
// of named ranges, runtime calls, kernels and copies, and ranges as they cover
// the device. Columns, units, order and rounding are those of Nsight Systems'
// documentation and of outputs that people have published.
//
// It opens no file. A report that a timeline cannot give says why, and what a
// number leaves out stands in the report's notes.
//
// Where no public output settles a question, one reading is chosen here:
//   - A range that was still open at the end is left out and counted.
//   - The level of a range counts the named ranges around it on its thread, from
//     0; its children are the named ranges directly within it. Start/end ranges
//     stand on no stack: they have level 0 and no children.
//   - A range that ends on another thread is not projected, and counted.
//   - An activity is one operation, whatever launched it: each node of a graph, or
//     the graph as a whole, as it was recorded.
//   - Rows of equal totals stand in the order of their first appearance.
package nsysstats
