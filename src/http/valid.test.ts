import { expect, test } from 'bun:test'
import * as z from 'zod'

import { Refusal } from '../lib/errors.ts'
import { RESERVED_BYTES_MAX } from './body-budget.ts'
import { withJson } from './valid.ts'

const ANYTHING = { schema: z.unknown(), plain: () => null, sizeMaxBytes: RESERVED_BYTES_MAX }

/** A body that says it has so many bytes. */
function sent(sizeBytes: number): Request {
  const headers = { 'content-type': 'application/json', 'content-length': String(sizeBytes) }
  return new Request('http://localhost/', { method: 'POST', headers, body: '{}' })
}

async function codeOf(answer: Promise<unknown>): Promise<string> {
  return answer.then(
    () => 'taken',
    (error: unknown) => (error instanceof Refusal ? error.code : 'broken'),
  )
}

test('a body counts until what is done with it is done, also when that fails', async () => {
  for (const end of ['resolve', 'reject'] as const) {
    const work = Promise.withResolvers<string>()
    const begun = Promise.withResolvers<undefined>()
    const first = codeOf(
      withJson(sent(RESERVED_BYTES_MAX), ANYTHING, () => {
        begun.resolve(undefined)
        return work.promise
      }),
    )
    await begun.promise
    // It is read and parsed, and waits for its commit, say.
    expect(await codeOf(withJson(sent(20_000), ANYTHING, () => Promise.resolve()))).toBe('overloaded')
    expect(await codeOf(withJson(sent(200), ANYTHING, () => Promise.resolve()))).toBe('taken')
    work[end]('done')
    expect(await first).toBe(end === 'resolve' ? 'taken' : 'broken')
    expect(await codeOf(withJson(sent(RESERVED_BYTES_MAX), ANYTHING, () => Promise.resolve()))).toBe('taken')
  }
})
