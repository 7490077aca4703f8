import { openHashing } from '../../workers/bun/hashing.ts'

/**
 * Hashes on one processor that another process wants whole, once with patience without end, and
 * once with so much and four times the work; prints which came first.
 *
 *   taskset -c 0 bun test/faults/hashing-race.ts <patienceMs>
 */
const NEVER_MS = 2 ** 31 - 1
const [patienceMs = ''] = process.argv.slice(2)
// The process ends by itself if its parent has died.
const WANTING = 'console.log("wanted"); for (const endAt = Date.now() + 120_000; Date.now() < endAt; );'
const other = Bun.spawn([process.execPath, '-e', WANTING])
await other.stdout.getReader().read()

async function hash(name: string, n: number, ms: number): Promise<string> {
  await openHashing(ms)('correct horse', new Uint8Array(16), { n, r: 8, p: 1 })
  return name
}

const patient = hash('patient', 8_192, NEVER_MS)
process.stdout.write(await Promise.race([patient, hash('impatient', 32_768, Number(patienceMs))]))
other.kill()
process.exit(0)
