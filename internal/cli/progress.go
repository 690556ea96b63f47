package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"reel/internal/display"
	"reel/lantern/pipeline"
	"reel/render/text"
	"reel/unit"
)

// patience is how long work may take before its progress is shown.
const patience = 500 * time.Millisecond

// progress is a bar on a terminal: the bytes of files read or written so far.
type progress struct {
	w     io.Writer
	doing string // "reading", "writing x.json"
	total int64  // 0 is unknown
	unit  string // what is counted; bytes when empty
	done  atomic.Int64
	quit  chan struct{}
	wg    sync.WaitGroup
}

// startProgress begins a bar on stderr, when that is a terminal.
func (a *app) startProgress(files []input) *progress {
	p := &progress{w: a.Err, doing: "reading", quit: make(chan struct{})}
	for _, f := range files {
		p.total += f.size()
	}
	p.start(isTerminal(a.Err))
	return p
}

// startWriting begins one for a file of unknown length.
func (a *app) startWriting(path string) *progress {
	p := &progress{w: a.Err, doing: "writing " + display.Shorten(display.Clean(filepath.Base(path)), 40), quit: make(chan struct{})}
	p.start(isTerminal(a.Err))
	return p
}

// startSteps begins a bar of the denoise steps of a request.
func (a *app) startSteps(r pipeline.Request) *progress {
	p := &progress{w: a.Err, doing: "generating", unit: "steps", total: int64(r.Steps), quit: make(chan struct{})}
	if r.Kind == pipeline.Streaming {
		p.total *= int64(r.Blocks)
	}
	p.start(isTerminal(a.Err))
	return p
}

// set says how many of how many are done.
func (p *progress) set(done, _ int) { p.done.Store(int64(done)) }

func (p *progress) start(shown bool) {
	if shown {
		p.wg.Go(p.show)
	}
}

func (p *progress) add(n int) { p.done.Add(int64(n)) }

// stop ends the bar and clears its line. It may be called twice.
func (p *progress) stop() {
	select {
	case <-p.quit:
	default:
		close(p.quit)
	}
	p.wg.Wait()
}

func (p *progress) show() {
	wait, drawn := patience, false
	for {
		select {
		case <-p.quit:
			if drawn {
				fmt.Fprint(p.w, "\r\x1b[K")
			}
			return
		case <-time.After(wait):
			fmt.Fprint(p.w, "\r"+p.line()+"\x1b[K")
			wait, drawn = 100*time.Millisecond, true
		}
	}
}

// line is "reading ▕███░░░░░▏ 27.1 MiB of 60.2 MiB", or "writing x.json 27.1 MiB".
func (p *progress) line() string {
	done := p.done.Load()
	if p.total == 0 {
		return fmt.Sprintf("%s %v", p.doing, unit.Bytes(done))
	}
	done = min(done, p.total)
	if p.unit != "" {
		return fmt.Sprintf("%s %s %d of %d %s", p.doing, text.Bar(float64(done)/float64(p.total), 16), done, p.total, p.unit)
	}
	return fmt.Sprintf("%s %s %v of %v", p.doing, text.Bar(float64(done)/float64(p.total), 16), unit.Bytes(done), unit.Bytes(p.total))
}
