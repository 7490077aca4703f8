import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'

import { secretsOf } from '../secrets.ts'
import { scryptInThread } from './hashing.ts'

const COST = { n: 1_024, r: 8, p: 1 }
const salts = [1, 2, 3].map((byte) => new Uint8Array(16).fill(byte))

test('a hash from the thread is the hash, whoever else asks', async () => {
  const secrets = secretsOf(new Uint8Array(32))
  const expected = await Promise.all(salts.map((salt) => secrets.scrypt('correct horse', salt, COST)))
  const found = await Promise.all(salts.map((salt) => scryptInThread('correct horse', salt, COST)))
  expect(found).toEqual(expected)
  expect(new Set(found.map((hash) => hash.toHex())).size).toBe(salts.length)
})

test.skipIf(process.platform !== 'linux')('the thread gives way to the others of the process', async () => {
  await scryptInThread('correct horse', new Uint8Array(16), COST)
  expect(niceOfThreads()).toContain(niceOf(process.pid) + 10)
})

test('a cost that there is not fails, and the next hash does not', async () => {
  const failed = scryptInThread('correct horse', new Uint8Array(16), { n: 1_000, r: 8, p: 1 })
  expect(await failed.then(() => 'hashed', String)).toContain('The thread of hashes has died')
  expect(await scryptInThread('correct horse', new Uint8Array(16), COST)).toHaveLength(32)
})

function niceOfThreads(): readonly number[] {
  return readdirSync('/proc/self/task').map(niceOf)
}

/** The 19th field of proc_pid_stat(5); the second is a name in parentheses, which may have anything in it. */
function niceOf(threadId: number | string): number {
  const fields = readFileSync(`/proc/self/task/${threadId}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return Number(fields[16])
}
