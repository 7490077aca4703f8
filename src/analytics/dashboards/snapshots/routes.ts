import { Hono } from 'hono'
import * as z from 'zod'
import { noContent, ok } from '../../../http/openapi-answers.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { jsonBody, valid } from '../../../http/valid.ts'
import { dashboardPath } from '../schema.ts'
import { snapshotBody, snapshotPath, snapshotSummary, snapshotView } from './schema.ts'
import { deleteSnapshot, listSnapshots, readSnapshot, takeSnapshot } from './service.ts'

const BODY_MAX_BYTES = 64 * 1024

export const snapshotRoutes = new Hono<Env>()
  .get(
    '/dashboards/snapshots',
    policy({
      summary: 'List your snapshots of dashboards; administrators list all',
      roles: 'signed-in',
      answers: {
        200: ok(
          z.object({ items: z.array(snapshotSummary) }),
          'The snapshots, the latest first; at most 1,000.',
        ),
      },
    }),
    async (c) => c.json({ items: await listSnapshots(c.get('context')) }),
  )
  .get(
    '/dashboards/snapshots/:snapshot',
    policy({
      summary: 'Read a snapshot of a dashboard',
      roles: 'signed-in',
      answers: { 200: ok(snapshotView, 'The widgets and their data at that instant.') },
    }),
    valid('param', snapshotPath),
    async (c) => c.json(await readSnapshot(c.get('context'), c.req.valid('param').snapshot)),
  )
  .delete(
    '/dashboards/snapshots/:snapshot',
    policy({
      summary: 'Delete a snapshot of a dashboard',
      roles: 'signed-in',
      answers: { 204: noContent },
    }),
    valid('param', snapshotPath),
    async (c) => {
      await deleteSnapshot(c.get('context'), c.req.valid('param').snapshot)
      return c.body(null, 204)
    },
  )
  .post(
    '/dashboards/:id/snapshot',
    policy({
      summary: 'Freeze the data of a dashboard as you see it, for 90 days',
      roles: 'signed-in',
      answers: { 201: ok(snapshotView, 'The snapshot.', ['Location']) },
      refuses: [409, 413],
    }),
    valid('param', dashboardPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', snapshotBody),
    async (c) => {
      const made = await takeSnapshot(c.get('context'), c.req.valid('param').id, c.req.valid('json'))
      const location = `${c.get('ports').settings.basePath}/dashboards/snapshots/${made.id}`
      return c.json(made, 201, { location })
    },
  )
