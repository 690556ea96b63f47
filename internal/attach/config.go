package attach

import (
	"fmt"
	"strings"
	"time"
)

// Profile says what to record. The zero value records CPU and device work for half a
// second, at once.
type Profile struct {
	Duration time.Duration // 0 is 500 ms
	Start    time.Time     // when all begin; zero begins as each process hears of it
	Warmup   time.Duration // before recording, in whole seconds
	Shapes   bool          // of operators' inputs
	Stacks   bool
	FLOPs    bool
	Modules  bool
	Memory   bool
}

// config is the text that a process is given. Values hold no "=", which the client
// cannot parse.
func (p Profile) config(file string) (string, error) {
	if strings.ContainsAny(file, "=\n\r#") || strings.Contains(file, "..") {
		return "", fmt.Errorf("attach: the client cannot write to %q: no \"=\", \"#\" or \"..\" in the path", file)
	}
	d := p.Duration
	if d <= 0 {
		d = 500 * time.Millisecond
	}
	start := int64(0)
	if !p.Start.IsZero() {
		start = p.Start.UnixMilli()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "PROFILE_START_TIME=%d\nACTIVITIES_LOG_FILE=%s\nACTIVITIES_DURATION_MSECS=%d\nACTIVITIES_WARMUP_PERIOD_SECS=%d\n",
		start, file, d.Milliseconds(), int(p.Warmup.Round(time.Second).Seconds()))
	for _, x := range []struct {
		key string
		on  bool
	}{{"PROFILE_REPORT_INPUT_SHAPES", p.Shapes}, {"PROFILE_WITH_STACK", p.Stacks}, {"PROFILE_WITH_FLOPS", p.FLOPs}, {"PROFILE_WITH_MODULES", p.Modules}, {"PROFILE_PROFILE_MEMORY", p.Memory}} {
		if x.on {
			fmt.Fprintf(&b, "%s=true\n", x.key)
		}
	}
	return b.String(), nil
}
