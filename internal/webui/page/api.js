// Asks the server. Faults are errors with the server's own words.

export async function get(path, params = {}, signal) {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(params)) if (v !== undefined && v !== null) q.set(k, v);
  const reply = await fetch(`api/${path}${q.size ? `?${q}` : ""}`, { signal });
  if (!reply.ok) throw new Error((await reply.text()).trim() || `${path}: ${reply.status}`);
  return reply;
}

export const json = async (path, params, signal) => (await get(path, params, signal)).json();
