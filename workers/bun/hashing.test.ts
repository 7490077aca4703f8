import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'

import { until } from '../../test/until.ts'
import { secretsOf } from '../secrets.ts'
import { openHashing } from './hashing.ts'

const COST = { n: 1_024, r: 8, p: 1 }
const SCHED_IDLE = 5
const NICE = 10
const salts = [1, 2, 3].map((byte) => new Uint8Array(16).fill(byte))

test.each([60_000, 0])('a hash from a thread is right beside other requests (patience %d ms)', async (ms) => {
  const scrypt = openHashing(ms)
  const secrets = secretsOf(new Uint8Array(32))
  const expected = await Promise.all(salts.map((salt) => secrets.scrypt('correct horse', salt, COST)))
  const found = await Promise.all(salts.map((salt) => scrypt('correct horse', salt, COST)))
  expect(found).toEqual(expected)
  expect(new Set(found.map((hash) => hash.toHex())).size).toBe(salts.length)
})

test('a cost that there is not fails, and the next hash does not', async () => {
  const scrypt = openHashing()
  const failed = scrypt('correct horse', new Uint8Array(16), { n: 1_000, r: 8, p: 1 })
  const next = scrypt('correct horse', new Uint8Array(16), COST)
  expect(await failed.then(() => 'hashed', String)).toContain('The password hashing thread ended')
  expect(await next).toHaveLength(32)
})

test.skipIf(process.platform !== 'linux')(
  'the first thread has what is idle, and the other one a little',
  async () => {
    const former = new Set(readdirSync('/proc/self/task'))
    await openHashing(0)('correct horse', new Uint8Array(16), COST)
    // Whichever is first answers, also before the other one has begun.
    await until(() => {
      const fields = readdirSync('/proc/self/task')
        .filter((id) => !former.has(id))
        .map(fieldsOf)
      return (
        fields.some(({ policy }) => policy === SCHED_IDLE) &&
        fields.some(({ policy, nice }) => policy !== SCHED_IDLE && nice === NICE)
      )
    })
  },
)

/** Fields of proc_pid_stat(5) by their numbers; the second is a name in parentheses, which may have anything in it. */
function fieldsOf(threadId: number | string): { readonly nice: number; readonly policy: number } {
  const fields = readFileSync(`/proc/self/task/${threadId}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return { nice: Number(fields[19 - 3]), policy: Number(fields[41 - 3]) }
}
