package webui

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestFollow opens the events and waits for the run to be replaced: it ends when that
// happens, and hangs when it does not.
func TestFollow(t *testing.T) {
	longer := runOf(t, small+"gpu kernel \"late\" at 39ms for 2ms\n")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	s := New(runOf(t, small), Options{Reload: func(context.Context) (*Run, error) {
		switch calls++; calls {
		case 1:
			return nil, errors.New("being written")
		case 2:
			return longer, nil
		}
		return nil, nil
	}})
	srv := httptest.NewServer(s.Handler())
	defer srv.Close()
	var faults []string
	done := make(chan struct{})
	go func() { defer close(done); s.Follow(ctx, func(err error) { faults = append(faults, err.Error()) }) }()
	got, err := http.Get(srv.URL + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	lines := bufio.NewScanner(got.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), `"generation":2`) {
	}
	o := reply[struct{ Generation int64 }](t, s.Handler(), "/api/run")
	if o.Generation != 2 {
		t.Errorf("generation %d", o.Generation)
	}
	cancel()
	<-done
	if !slices.Equal(faults, []string{"being written"}) {
		t.Errorf("faults %v", faults)
	}
}
