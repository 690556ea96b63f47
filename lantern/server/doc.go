// Package server serves an engine over HTTP: images in the form of OpenAI's API,
// videos under vLLM-Omni's paths, health, metrics, and the control of a profiler.
//
//	POST   /v1/images/generations     pictures, base64 PNG in the reply
//	POST   /v1/videos                 begins a video job
//	POST   /v1/videos/sync            a video, its bytes in the reply
//	GET    /v1/videos                 the jobs
//	GET    /v1/videos/{id}            a job
//	GET    /v1/videos/{id}/content    its video
//	DELETE /v1/videos/{id}            forgets it
//	GET    /v1/models                 the served model
//	GET    /health, /metrics
//	POST   /start_profile, /stop_profile and GET /profile, where a profiler is configured
//
// It makes no pictures itself and knows no model; an Engine does. Requests run one
// at a time as a rule and wait in a bounded queue. Videos are kept in memory, as
// many as Options say.
package server
