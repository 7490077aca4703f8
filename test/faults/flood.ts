// Run as a process of its own, so that whoever measures has a core for it: delivers a body over so many connections,
// each with one delivery at a time and a pause after each refusal, until SIGTERM, and prints what came back.
const [url = '', sessionId = '', jobIds = '', connections = '1', bodyText = '{}'] = process.argv.slice(2)
const ids = jobIds.split(',')
const init = {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-session-id': sessionId },
  body: bodyText.startsWith('{') ? bodyText : await Bun.file(bodyText).text(),
}
const REFUSED_PAUSE_MS = 500

let taken = 0
let refused = 0
const others: Record<string, number> = {}
let isStopped = false
process.once('SIGTERM', () => {
  isStopped = true
})

async function send(index: number): Promise<void> {
  const to = `${url}/webcollector/jobs/${ids[index % ids.length]}/values`
  while (!isStopped) {
    try {
      const answer = await fetch(to, init)
      await answer.arrayBuffer()
      if (answer.status === 200) {
        taken++
        continue
      }
      const isRefused = answer.status === 503 && answer.headers.get('retry-after') !== null
      if (isRefused) refused++
      else others[answer.status] = (others[answer.status] ?? 0) + 1
    } catch (error) {
      const { code } = error as { code?: string }
      others[String(code)] = (others[String(code)] ?? 0) + 1
    }
    await Bun.sleep(REFUSED_PAUSE_MS)
  }
}

await Promise.all(Array.from({ length: Number(connections) }, (_, index) => send(index)))
process.stdout.write(JSON.stringify({ taken, refused, others }))
process.exit(0)
