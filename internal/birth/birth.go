// Package birth notes when the process began to initialise its packages. It imports
// nothing of the project, so that it is among the first.
package birth

import "time"

// At is when this package was initialised: after the runtime had started, before
// most other packages.
var At = time.Now()
