package analyze

import "fmt"

// Coverage says, for one thing that a recording was asked for, what the rank saw of
// it. A run folder's note holds it; traces do not.
type Coverage struct {
	Asked        string `json:"asked"`   // "window 0-4"
	Entered      int    `json:"entered"` // how often it was entered
	Of           int    `json:"of"`      // how often it could have been; 0 unknown
	Unit         string `json:"unit,omitempty"`
	Events       int64  `json:"events"`
	DeviceEvents int64  `json:"device_events"`
	Missed       string `json:"missed,omitempty"` // why something was not entered
}

// uncovered looks for what was asked for and not seen.
func (s *scene) uncovered() (list []Finding) {
	for _, c := range s.sum.Coverage {
		f := Finding{Severity: SeverityError, Evidence: facts{"entered": c.Entered, "events": c.Events, "device_events": c.DeviceEvents},
			Remedy: "Check that the loop is the one that the window names, that it is long enough, and that the process that records is the one that works."}
		if c.Of > 0 {
			f.Evidence["of"] = c.Of
		}
		switch {
		case c.Entered == 0:
			f.Title = c.Asked + " was asked for and never entered"
		case c.Events == 0:
			f.Title = c.Asked + " was entered, and nothing was recorded in it"
		case c.Entered < c.Of:
			f.Severity, f.Title = SeverityWarn, fmt.Sprintf("%s was entered %d of %d times", c.Asked, c.Entered, c.Of)
		case c.DeviceEvents == 0 && s.sum.GPU != nil:
			f.Severity, f.Title = SeverityWarn, c.Asked+" holds no device activity, though there is some elsewhere"
		default:
			continue
		}
		if c.Missed != "" {
			f.Title += ": " + c.Missed
		}
		list = append(list, f)
	}
	return list
}
