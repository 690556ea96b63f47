package analyze

import "reel/timeline"

// repetition is the last resort.
func repetition(tl *timeline.Timeline) []Span { return nil }
