// Package safetensors reads and writes weights in the safetensors format: one
// file, or several with an index. https://github.com/huggingface/safetensors
// describes the format.
//
// A Checkpoint is a view: files of the operating system are mapped on Linux and
// macOS, so opening costs the header alone and values are read when they are
// converted. Elsewhere, and from an fs.FS without files of the system, a file
// is read whole. Foreign bytes never panic and never make the reader allocate
// more than the file holds; what is wrong comes as an *Error that names file
// and tensor. The package knows nothing about models.
package safetensors
