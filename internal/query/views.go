package query

// view is a query that has a name.
type view struct{ name, doc, sql string }

// views lists the views.
func views() []view {
	return []view{
		{"attributed", "The device's work with its cause: the launch, the operator around it, the stage and step.", `
SELECT a.id, a.rank, a.device, a.stream, a.start_ns, a.end_ns, a.dur_ns, a.name, a.class, a.bytes,
  l.name AS launch, l.start_ns AS launch_ns, a.start_ns - l.start_ns AS delay_ns, o.name AS op,
  coalesce(s.request, g.request) AS request, coalesce(g.stage, iif(s.id IS NULL, NULL, 'diffuse')) AS stage,
  s.loop, s.step, a.launch_id, a.owner_id, a.stage_id, a.step_id
FROM activity a
  LEFT JOIN range l ON l.id = a.launch_id
  LEFT JOIN range o ON o.id = a.owner_id
  LEFT JOIN step s ON s.id = a.step_id
  LEFT JOIN stage g ON g.id = a.stage_id
WHERE a.work = 1`},
		{"step_work", "Steps with what the device did for them: device_ns adds up its work, span_ns reaches from the first start to the last end.", `
SELECT s.id, s.rank, s.request, s.loop, s.step, s.name, s.start_ns, s.dur_ns AS cpu_ns,
  count(a.id) AS activities, count(DISTINCT a.launch_id) AS launches,
  coalesce(sum(a.dur_ns), 0) AS device_ns, max(a.end_ns) - min(a.start_ns) AS span_ns
FROM step s LEFT JOIN activity a ON a.step_id = s.id AND a.work = 1
GROUP BY s.id`},
		{"stage_work", "The same of stages.", `
SELECT g.id, g.rank, g.request, g.stage, g.name, g.start_ns, g.dur_ns AS cpu_ns,
  count(a.id) AS activities, count(DISTINCT a.launch_id) AS launches,
  coalesce(sum(a.dur_ns), 0) AS device_ns, max(a.end_ns) - min(a.start_ns) AS span_ns
FROM stage g LEFT JOIN activity a ON a.stage_id = g.id AND a.work = 1
GROUP BY g.id`},
	}
}

// Recipe is a query that people ask for.
type Recipe struct {
	Name  string // a word for the command line
	Title string
	SQL   string
}

// Recipes lists the recipes.
func Recipes() []Recipe {
	return []Recipe{
		{"steps", "Each step: the host's time and the device's", `
SELECT rank, request, loop, step, cpu_ns, device_ns, span_ns, span_ns - device_ns AS waiting_ns, activities, launches
FROM step_work ORDER BY rank, start_ns`},
		{"kernels-in-step", "Top kernels in a step", `
SELECT name, count(*) AS calls, sum(dur_ns) AS total_ns, max(dur_ns) AS max_ns
FROM attributed WHERE class = 'kernel' AND step = 1
GROUP BY name ORDER BY total_ns DESC LIMIT 10`},
		{"gaps", "Gaps over 100 µs in which the device had nothing to do", `
SELECT g.rank, g.device, g.start_ns, g.dur_ns, b.name AS before, a.name AS after, a.op
FROM gap g LEFT JOIN activity b ON b.id = g.before_id LEFT JOIN attributed a ON a.id = g.after_id
WHERE g.dur_ns > 100000 ORDER BY g.dur_ns DESC LIMIT 20`},
		{"copies-in-loop", "Copies within the denoise loop", `
SELECT step, name, count(*) AS copies, sum(bytes) AS bytes, sum(dur_ns) AS total_ns
FROM attributed WHERE class = 'copy' AND step IS NOT NULL
GROUP BY step, name ORDER BY step, total_ns DESC`},
		{"ops-by-device", "Operators by the device time of what they launched themselves", `
SELECT op, count(*) AS activities, sum(dur_ns) AS device_ns
FROM attributed GROUP BY op ORDER BY device_ns DESC LIMIT 20`},
		{"waits", "Calls in which the host waits for the device", `
SELECT l.name, count(*) AS calls, sum(l.dur_ns) AS total_ns, max(l.dur_ns) AS max_ns, count(l.step_id) AS in_steps
FROM launch l WHERE l.name LIKE '%Synchronize%' OR l.name LIKE '%EventQuery%'
GROUP BY l.name ORDER BY total_ns DESC`},
		{"queue", "How far the host runs ahead: from a launch to the start of its work, by stage", `
SELECT stage, count(*) AS launches, min(delay_ns) AS least_ns, CAST(avg(delay_ns) AS INTEGER) AS mean_ns, max(delay_ns) AS most_ns
FROM attributed WHERE launch_id IS NOT NULL GROUP BY stage ORDER BY mean_ns DESC`},
		{"unattributed", "Work whose launch the trace does not hold", `
SELECT rank, class, name, count(*) AS activities, sum(dur_ns) AS total_ns
FROM activity WHERE work = 1 AND launch_id IS NULL
GROUP BY rank, class, name ORDER BY total_ns DESC LIMIT 20`},
		{"streams", "How busy each stream was", `
SELECT a.rank, a.device, a.stream, t.name AS track, count(*) AS activities, sum(a.dur_ns) AS total_ns,
  min(a.start_ns) AS from_ns, max(a.end_ns) AS to_ns
FROM activity a JOIN track t ON t.id = a.track_id WHERE a.work = 1
GROUP BY a.track_id ORDER BY total_ns DESC`},
		{"long-ranges", "The longest ranges that the program named", `
SELECT rank, name, start_ns, dur_ns FROM range
WHERE class = 'annotation' ORDER BY dur_ns DESC LIMIT 20`},
	}
}
