package analyze

import "reel/timeline"

// Rank is one rank's timeline with what it means: what writers and reports of
// several ranks take.
type Rank struct {
	TL      *timeline.Timeline
	Derived *Derived
	Path    string // of the source
	Index   int    // the rank's number
}
