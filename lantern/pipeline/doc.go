// Package pipeline makes pictures and clips with the models of package wan: text to
// image and video, an image to begin from or to edit, two stages with an upsampling
// between them, and streaming, block after block.
//
//	e, err := pipeline.Open(ctx, checkpoint.FS(), pipeline.Options{})
//	defer e.Close()
//	r, err := e.Generate(ctx, pipeline.Request{Prompt: "a red circle moving right on a blue background"})
//
// Every pipeline runs in one request scope and every denoise loop through one step
// iterator (rec.Steps), and tells the profiler of pipeline.encode, pipeline.diffuse,
// pipeline.decode and pipeline.finalize. Reconstruct alone generates in its own way
// and has none of them.
//
// It writes no files, shows nothing and keeps no queue: requests of an Engine run
// one at a time.
package pipeline
