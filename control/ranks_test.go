package control

import (
	"path/filepath"
	"testing"

	"reel/internal/rundir"
)

// Ranks that are told one folder share it; the folder's later sessions lie in
// sub-folders of it that they agree on without talking.
func TestRanksShareAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	t.Setenv(rundir.EnvDir, dir)
	var ranks []*Controller
	for rank := range 3 {
		c, _ := rig(t, Config{}, func(o *Options) {
			o.Rank, o.World = rank, 3
			o.Coverage = func() []Coverage {
				return []Coverage{{Asked: "window 0-4", Entered: 1, Of: 1, Unit: "loops", Events: 5, DeviceEvents: 2}}
			}
		})
		ranks = append(ranks, c)
	}
	for session, path := range []string{dir, dir + "/session-2"} {
		for _, c := range ranks {
			if s, err := c.Start(StartOptions{}); err != nil || s.Run != path {
				t.Fatal(s, err)
			}
		}
		run, err := rundir.Read(path)
		if err != nil || len(run.Ranks) != 3 || run.Ranks[2].State != "recording" {
			t.Fatalf("while session %d runs: %+v, %v", session+1, run, err)
		}
		for rank, c := range ranks {
			request(c, 2)
			s, err := c.Stop(t.Context())
			if err != nil || len(s.Artifacts) != 1 || s.Artifacts[0].Path != c.Config().Artifacts(rank)[0].Name {
				t.Fatal(s, err)
			}
		}
		if run, err = rundir.Read(path); err != nil || len(run.Coverage) != 2 {
			t.Fatal(run, err)
		}
		want(t, "session", run.Coverage[0], "session: entered 2 requests, 60 events, 24 device events on ranks 0–2")
		want(t, "window", run.Coverage[1], "window 0-4: entered 1 of 1 loops, 15 events, 6 device events on ranks 0–2")
	}
	// Whoever starts all ranks may choose.
	if s, err := ranks[0].Start(StartOptions{Dir: dir + "/mine"}); err != nil || s.Run != dir+"/mine" {
		t.Error(s, err)
	}
	if _, err := ranks[0].Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
