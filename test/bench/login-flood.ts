import { setTimeout } from 'node:timers/promises'

/**
 * From each `begin` on its standard input to the `end` that follows keeps so many wrong logins under way, each from another
 * network and of another name, and then tells what they were answered. Who is refused comes again about when told to.
 *
 *   bun test/bench/login-flood.ts <url> <logins>
 */
const [url = '', logins = '0'] = process.argv.slice(2)

let made = 0

type Answers = Record<string, number>

async function logIn(statuses: Answers, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    const at = made++
    const address = `${10 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}.1`
    const response = await fetch(`${url}/session/login`, {
      method: 'POST',
      // A kept one may be closed in the moment in which it is used again.
      keepalive: false,
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': address,
        'cf-connecting-ip': address,
      },
      body: JSON.stringify({ username: `somebody ${at}`, password: 'a wrong password' }),
    })
    await response.arrayBuffer()
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
    // Not all of them in the same moment.
    const restMs = 1000 * Number(response.headers.get('retry-after') ?? 0) * (0.5 + (at % 100) / 100)
    await setTimeout(restMs, undefined, { signal: end }).catch(() => undefined)
  }
}

/** Keeps them coming; the function that it returns ends them, and tells of them. */
function flood(): () => Promise<void> {
  const statuses: Answers = {}
  const begunAt = performance.now()
  const end = new AbortController()
  const all = Array.from({ length: Number(logins) }, () => logIn(statuses, end.signal))
  return async () => {
    const seconds = (performance.now() - begunAt) / 1000
    // Who waits for a hash still gets it, when deliveries are over.
    const told = JSON.stringify({ statuses, seconds })
    end.abort()
    await Promise.all(all)
    process.stdout.write(`${told}\n`)
  }
}

let finish = async () => {}
for await (const line of console) {
  if (line === 'begin') finish = flood()
  else await finish()
}
