// Package rec records what a Go program does: the way in for pipelines, servers
// and interactive sessions that want their stages, steps, frames and device work
// in a Reel recording.
//
//	r, err := rec.Open("run.reel", rec.Options{})
//	defer r.Close()
//	err = r.Request(ctx, rec.RequestOptions{}, func(ctx context.Context) error {
//		encode(ctx)
//		for i := range rec.Steps(ctx, 30) {
//			denoise(ctx, i)
//		}
//		defer r.Range(ctx, "pipeline.decode").End()
//		…
//	})
//
// It decides nothing about when to record (package window does), owns no session
// (package control does; its Iteration and Windows fit in here), converts no file
// and imports the standard library alone. A fault of the profiler is logged and
// never fails the program.
//
// Words: a Profiler is what a program tells; a Recorder is the one that writes a
// recording, Stats the one that counts. A Worker runs requests, one at a time as a
// rule, and opens windows in them. A Track is where ranges lie: goroutines move
// between threads, so a track is bound to a context and never to a thread.
package rec
