import { Hono } from 'hono'
import * as z from 'zod'
import { idParam, noContent, ok } from '../../http/openapi-answers.ts'
import { entityTag } from '../../http/preconditions.ts'
import { nextLink } from '../../http/paging.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { EDITORS } from '../../http/roles.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { stateHistoryQuery, stateHistoryView } from '../state-history/schema.ts'
import { slcCopyQuery } from './copy/schema.ts'
import { copySlc } from './copy/service.ts'
import { periodsQuery, periodsView, recalculationBody, slcBody, slcView } from './schema.ts'
import {
  createSlc,
  deleteSlc,
  listPeriods,
  readSlc,
  readSlcHistory,
  recalculatePeriods,
  updateSlc,
} from './service.ts'

const BODY_MAX_BYTES = 512 * 1024

const objectPath = z.object({ id: idParam })
const parentQuery = z.object({ parentType: z.literal('group').default('group'), parentId: idParam })
const oneSlc = { 200: ok(slcView, 'The service level container.', ['ETag']) }

function shown({ slc, version }: Awaited<ReturnType<typeof readSlc>>) {
  return { view: slc, version }
}

export const slcRoutes = new Hono<Env>()
  .post(
    '/slcs',
    policy({
      summary: 'Create a service level container (error budget) in a group',
      roles: EDITORS,
      object: 'write',
      answers: { 201: ok(slcView, 'The new service level container.', ['Location', 'ETag']) },
      refuses: [404, 409],
    }),
    valid('query', parentQuery),
    jsonBody(BODY_MAX_BYTES),
    valid('json', slcBody),
    async (c) => {
      const { parentId } = c.req.valid('query')
      const { slc, version } = await createSlc(c.get('context'), parentId, c.req.valid('json'))
      const location = `${c.get('ports').settings.basePath}/slcs/${slc.id}`
      return c.json(slc, 201, { location, etag: entityTag(version) })
    },
  )
  .get(
    '/slcs/:id',
    policy({
      summary: 'Read a service level container',
      roles: 'signed-in',
      object: 'read',
      answers: oneSlc,
    }),
    valid('param', objectPath),
    async (c) => {
      const { slc, version } = await readSlc(c.get('context'), c.req.valid('param').id)
      return c.json(slc, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/slcs/:id',
      place: objectPath,
      body: slcBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace or move a service level container; its children and its periods stay',
      noun: 'a service level container',
      policy: { roles: EDITORS, object: 'write', answers: oneSlc, refuses: [409, 412] },
      read: async (context, { id }) => shown(await readSlc(context, id)),
      write: async (context, { id }, change) => shown(await updateSlc(context, id, change)),
    }),
  )
  .post(
    '/slcs/:id/copy',
    policy({
      summary: 'Copy a service level container, as a template instance or as a plain copy',
      roles: EDITORS,
      object: 'write',
      answers: { 201: ok(slcView, 'The new service level container.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    valid('param', objectPath),
    valid('query', slcCopyQuery),
    async (c) => {
      const id = await copySlc(c.get('context'), c.req.valid('param').id, c.req.valid('query'))
      const { slc, version } = await readSlc(c.get('context'), id)
      const location = `${c.get('ports').settings.basePath}/slcs/${slc.id}`
      return c.json(slc, 201, { location, etag: entityTag(version) })
    },
  )
  .delete(
    '/slcs/:id',
    policy({
      summary: 'Delete a service level container with its frozen periods; its children stay',
      roles: EDITORS,
      object: 'write',
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', objectPath),
    async (c) => {
      await deleteSlc(c.get('context'), c.req.valid('param').id)
      return c.body(null, 204)
    },
  )
  .get(
    '/slcs/:id/state-history',
    policy({
      summary: 'Read the state history and the availability of a service level container',
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(stateHistoryView, 'The state history.') },
    }),
    valid('param', objectPath),
    valid('query', stateHistoryQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      return c.json(await readSlcHistory(c.get('context'), id, c.req.valid('query')))
    },
  )
  .get(
    '/slcs/:id/periods',
    policy({
      summary: 'List the frozen (past) periods of a service level container',
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(periodsView, 'The periods, latest first.', ['Link']) },
    }),
    valid('param', objectPath),
    valid('query', periodsQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      const { items, next } = await listPeriods(c.get('context'), id, c.req.valid('query'))
      return c.json({ items }, 200, nextLink(c, next))
    },
  )
  .post(
    '/slcs/:id/periods/recalculate',
    policy({
      summary: 'Recalculate frozen periods: each period that ends in the range gets a new revision',
      roles: EDITORS,
      object: 'write',
      answers: { 200: ok(periodsView, 'The periods with all their revisions; the list can be empty.') },
      refuses: [409],
    }),
    valid('param', objectPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', recalculationBody),
    async (c) => {
      const { id } = c.req.valid('param')
      return c.json(await recalculatePeriods(c.get('context'), id, c.req.valid('json')))
    },
  )
