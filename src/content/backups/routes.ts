import { Hono } from 'hono'
import * as z from 'zod'
import { idPath, noContent, ok } from '../../http/openapi-answers.ts'
import { nextLink } from '../../http/paging.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { answerStored } from '../../http/file-response.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { Refusal } from '../../lib/errors.ts'
import { operationView, waitQuery } from '../../operations/work/schema.ts'
import { acceptedResponse, runWork } from '../../operations/work/service.ts'
import {
  backupBody,
  backupView,
  listQuery,
  passphrase,
  restoreBody,
  restoreQuery,
  restoreView,
} from './schema.ts'
import type { RestoreHooks } from './hooks.ts'
import { deleteBackup, listBackups, makeBackup, readBackup, restoreBackup, restoreUpload } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024
const ARCHIVE = 'application/gzip'
const PASSPHRASE_HEADER = 'x-backup-passphrase'
const restoreRefusals = [400, 409, 422]

const keptRoutes = new Hono<Env>()
  .get(
    '/backups',
    policy({
      summary: 'List the backups that the service keeps',
      roles: ADMINISTRATOR,
      scope: 'backup',
      answers: { 200: ok(z.array(backupView), 'The backups, latest first.', ['Link']) },
    }),
    valid('query', listQuery),
    async (c) => {
      const { items, next } = await listBackups(c.get('context'), c.req.valid('query'))
      return c.json(items, 200, nextLink(c, next))
    },
  )
  .post(
    '/backups',
    policy({
      summary: 'Create a backup that the service keeps',
      roles: ADMINISTRATOR,
      scope: 'backup',
      answers: {
        201: ok(backupView, 'The new backup.', ['Location']),
        202: ok(operationView, 'The operation that creates the backup, after the wait.', [
          'Location',
          'Retry-After',
        ]),
      },
      refuses: [409],
    }),
    valid(
      'query',
      z.object({ wait: waitQuery('How long to wait for the backup; absent for as long as it takes.') }),
    ),
    jsonBody(BODY_MAX_BYTES),
    valid('json', backupBody),
    async (c) => {
      const context = c.get('context')
      const [{ wait: waitMs = null }, body] = [c.req.valid('query'), c.req.valid('json')]
      const outcome = await runWork(context, { kind: 'backup', subject: '/backups', waitMs }, (work) =>
        makeBackup(context, body, { origin: 'asked', work }),
      )
      if (!outcome.isDone) return acceptedResponse(outcome.operation, context.ports)
      return c.json(outcome.result, 201, { location: outcome.result.url })
    },
  )
  .get(
    '/backups/:id',
    policy({
      summary: 'Download a backup',
      roles: ADMINISTRATOR,
      scope: 'backup',
      answers: {
        200: {
          description: 'The bytes of the backup.',
          media: ARCHIVE,
          headers: ['ETag', 'Content-Disposition'],
        },
        206: {
          description: 'The requested range.',
          media: ARCHIVE,
          headers: ['ETag', 'Content-Range'],
        },
        304: { description: 'Not modified.' },
      },
      refuses: [416],
    }),
    valid('param', idPath),
    async (c) => {
      const { backup, open } = await readBackup(c.get('context'), c.req.valid('param').id)
      const headers = {
        'content-type': ARCHIVE,
        'content-disposition': `attachment; filename="tidemark-${backup.id}.ndjson.gz"`,
        'cache-control': 'private, no-cache',
      }
      const stored = { etag: `"${backup.digest}"`, sizeBytes: backup.size, open }
      return answerStored(c.req.raw, stored, { headers, requestId: c.get('requestId') })
    },
  )
  .delete(
    '/backups/:id',
    policy({
      summary: 'Delete a backup',
      roles: ADMINISTRATOR,
      scope: 'backup',
      answers: { 204: noContent },
      refuses: [412],
    }),
    valid('param', idPath),
    async (c) => {
      await deleteBackup(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )

const restoreRoutes = (hooks: RestoreHooks) =>
  new Hono<Env>()
    .post(
      '/backups/restore',
      policy({
        summary: 'Restore an uploaded backup; its passphrase is in X-Backup-Passphrase, percent-encoded',
        roles: ADMINISTRATOR,
        scope: 'administration',
        takes: { media: { [ARCHIVE]: 'bytes' }, encodings: ['identity'] },
        answers: { 200: ok(restoreView, 'The restored rows, or the rows that would be restored.') },
        refuses: restoreRefusals,
      }),
      valid('query', restoreQuery),
      async (c) => {
        const asked = { ...c.req.valid('query'), passphrase: passphraseOf(c.req.raw) }
        return c.json(
          await restoreUpload(c.get('context'), c.req.raw.body ?? new Blob([]).stream(), asked, hooks),
        )
      },
    )
    .post(
      '/backups/:id/restore',
      policy({
        summary: 'Restore a backup that the service keeps: everything, or only some deleted objects',
        roles: ADMINISTRATOR,
        scope: 'administration',
        answers: { 200: ok(restoreView, 'The restored rows, or the rows that would be restored.') },
        refuses: restoreRefusals,
      }),
      valid('param', idPath),
      jsonBody(BODY_MAX_BYTES),
      valid('json', restoreBody),
      async (c) =>
        c.json(await restoreBackup(c.get('context'), c.req.valid('param').id, c.req.valid('json'), hooks)),
    )

/** @param hooks the steps of a restore in other rooms */
export const backupRoutes = (hooks: RestoreHooks) =>
  new Hono<Env>().route('/', keptRoutes).route('/', restoreRoutes(hooks))

/** @throws {Refusal} invalid */
function passphraseOf({ headers }: Request): string {
  const given = headers.get(PASSPHRASE_HEADER)
  const read = passphrase.safeParse(decoded(given ?? ''))
  if (read.success) return read.data
  const message = given === null ? 'is missing' : (read.error.issues[0]?.message ?? '')
  throw new Refusal('invalid', 'The passphrase of the backup is missing, too short or too long.', [
    { pointer: PASSPHRASE_HEADER, message },
  ])
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
