package analyze

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"reel/event"
	"reel/timeline"
)

// TestManyForwards derives many steps, each in a compiled wrapper, and a deep nest of
// stages: the time must grow with their number, not its square.
func TestManyForwards(t *testing.T) {
	const n = 30_000
	var b strings.Builder
	b.WriteString("track cpu1/1 \"main\"\n")
	for i := range n {
		fmt.Fprintf(&b, "range python \"nn.Module: OptimizedModule_0\" at %dus for 9us\n", i*10)
		fmt.Fprintf(&b, "range python \"nn.Module: SD3Transformer2DModel_0\" at %dus for 5us\n", i*10+1)
	}
	for i := range n {
		fmt.Fprintf(&b, "range python \"nn.Module: T5EncoderModel_%d\" at %dus for %dus\n", i, n*10+i, 2*(n-i))
	}
	src, err := event.ParseText(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	tl, err := timeline.Build(context.Background(), src, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	roles, err := LoadRoles()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	d := Derive(tl, roles)
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("it took %v", d)
	}
	if len(d.Steps) != n || d.Steps[1].Dur() != 9000 || len(d.Stages) != 1 {
		t.Errorf("%d steps of %d ns, %d stages; want %d of 9000 ns, the wrapper's, and 1", len(d.Steps), d.Steps[1].Dur(), len(d.Stages), n)
	}
}

// TestCollectivesOfUsers reads collectives in a user's own spelling.
func TestCollectivesOfUsers(t *testing.T) {
	src, err := event.ParseText(strings.NewReader("track gpu0/1 \"s\"\ngpu kernel \"MyRing_kernel\" at 1us for 1us\n"))
	if err != nil {
		t.Fatal(err)
	}
	tl, err := timeline.Build(context.Background(), src, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	roles, err := LoadRoles([]byte("collectives: [\"MyRing\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if g, _ := Device(tl, roles); g.Comm != 1000 {
		t.Errorf("%+v: want 1 µs of communication", g)
	}
	if _, err := LoadRoles([]byte("collectives: [\"\"]\n")); err == nil {
		t.Error("an empty name is accepted: it matches every kernel")
	}
}
