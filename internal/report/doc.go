// Package report writes what analyses found for people: the summary of a run,
// the operator table, the state of a file. It computes nothing but what layout
// needs, reads no terminal and opens no file. Texts that come from traces are
// made harmless before they are written.
package report
