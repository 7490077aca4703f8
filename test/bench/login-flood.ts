import { setTimeout } from 'node:timers/promises'

/**
 * Keeps so many wrong logins under way, each from another network and of another name, until its standard input ends;
 * then it tells what they were answered. Who is refused comes again about when told to.
 *
 *   bun test/bench/login-flood.ts <url> <logins>
 */
const [url = '', logins = '0'] = process.argv.slice(2)

const statuses: Record<string, number> = {}
const begunAt = performance.now()
const end = new AbortController()
let made = 0

async function logIn(): Promise<void> {
  while (!end.signal.aborted) {
    const at = made++
    const response = await fetch(`${url}/session/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `${10 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}.1`,
      },
      body: JSON.stringify({ username: `somebody ${at}`, password: 'a wrong password' }),
    })
    await response.arrayBuffer()
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
    // Not all of them in the same moment.
    const restMs = 1000 * Number(response.headers.get('retry-after') ?? 0) * (0.5 + (at % 100) / 100)
    await setTimeout(restMs, undefined, end).catch(() => undefined)
  }
}

const flood = Array.from({ length: Number(logins) }, logIn)
for await (const _ of Bun.stdin.stream());
const seconds = (performance.now() - begunAt) / 1000
// Who waits for a hash still gets it, when deliveries are over.
const told = JSON.stringify({ statuses, seconds })
end.abort()
await Promise.all(flood)
process.stdout.write(told)
