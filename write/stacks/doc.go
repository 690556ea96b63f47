// Package stacks writes call stacks with the time spent in each, in the folded
// form that flamegraph.pl, inferno and speedscope read: a line for each distinct
// stack, its frames from the root on joined by semicolons, a blank, and a whole
// number of microseconds.
//
//	train.py(3):_main;nn.Module:_Attention_0;aten::mm;cudaLaunchKernel 12
//
// It is the form of torch.profiler's export_stacks, which has Python calls only,
// for operators only, and repeats equal stacks. Here operators and runtime calls
// are frames too, so that all time of a thread is in its place; equal stacks are
// merged; lines come sorted by frame, a stack before those that go on from it.
//
// It draws no picture and tells no times of day.
package stacks
