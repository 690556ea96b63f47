package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"reel/render/text"
	"reel/unit"
)

// patience is how long work may take before its progress is shown.
const patience = 500 * time.Millisecond

// progress is a bar on a terminal: the bytes of files read so far.
type progress struct {
	w     io.Writer
	total int64
	done  atomic.Int64
	quit  chan struct{}
	wg    sync.WaitGroup
}

// startProgress begins a bar on stderr, when that is a terminal.
func (a *app) startProgress(files []input) *progress {
	p := &progress{w: a.Err, quit: make(chan struct{})}
	if !isTerminal(a.Err) {
		return p
	}
	for _, f := range files {
		p.total += f.size()
	}
	p.wg.Go(p.show)
	return p
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

// line is "reading ▕███░░░░░▏ 27.1 MiB of 60.2 MiB".
func (p *progress) line() string {
	done := min(p.done.Load(), p.total)
	var b strings.Builder
	b.WriteString("reading ")
	if p.total > 0 {
		b.WriteString(text.Bar(float64(done)/float64(p.total), 16) + " ")
	}
	fmt.Fprintf(&b, "%v of %v", unit.Bytes(done), unit.Bytes(p.total))
	return b.String()
}
