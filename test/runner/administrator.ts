import { ADMIN } from '../hosts/host.ts'

/** Calls a service as its administrator: objects go as JSON, everything else as it is. */
export function administratorOf(url: string) {
  /** @throws {Error} with what was answered, unless that was good */
  const call = async (method: string, path: string, body?: object | string): Promise<Response> => {
    const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Basic ${btoa(`${ADMIN.username}:${ADMIN.password}`)}`,
        ...(isJson ? { 'content-type': 'application/json' } : {}),
      },
      body: isJson ? JSON.stringify(body) : ((body as string | undefined) ?? null),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const json = async <Answer>(method: string, path: string, body?: object) =>
    (await (await call(method, path, body)).json()) as Answer
  return { call, json }
}
