import { Hono } from 'hono'
import type { Context } from '../../context.ts'
import { copyRoute, objectRoutes } from '../../http/object-routes.ts'
import { idPath, ok } from '../../http/openapi-answers.ts'
import { nextLink } from '../../http/paging.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { EDITORS } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { stateHistoryQuery, stateHistoryView } from '../state-history/schema.ts'
import { slcCopyQuery } from './copy/schema.ts'
import { copySlc } from './copy/service.ts'
import {
  burnQuery,
  burnView,
  periodsQuery,
  periodsView,
  recalculationBody,
  slcBody,
  slcView,
} from './schema.ts'
import {
  createSlc,
  deleteSlc,
  listPeriods,
  readBurn,
  readSlc,
  readSlcHistory,
  recalculatePeriods,
  updateSlc,
} from './service.ts'

const BODY_MAX_BYTES = 512 * 1024

function shown({ slc, version }: Awaited<ReturnType<typeof readSlc>>) {
  return { view: slc, version }
}

const kind = {
  path: '/slcs',
  noun: 'service level container',
  view: slcView,
  read: async (context: Context, id: number) => shown(await readSlc(context, id)),
}

export const slcRoutes = new Hono<Env>()
  .route(
    '/',
    objectRoutes({
      ...kind,
      parentType: 'group',
      body: slcBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summaries: {
        create: 'Create a service level container (error budget) in a group',
        replace: 'Replace or move a service level container; its children and its periods stay',
        delete: 'Delete a service level container with its frozen periods; its children stay',
      },
      create: async (context, parentId, body) => shown(await createSlc(context, parentId, body)),
      update: async (context, id, change) => shown(await updateSlc(context, id, change)),
      delete: deleteSlc,
    }),
  )
  .route(
    '/',
    copyRoute({
      ...kind,
      summary: 'Copy a service level container, as a template instance or as a plain copy',
      query: slcCopyQuery,
      copy: copySlc,
    }),
  )
  .get(
    '/slcs/:id/state-history',
    policy({
      summary: 'Read the state history and the availability of a service level container',
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(stateHistoryView, 'The state history.') },
    }),
    valid('param', idPath),
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
    valid('param', idPath),
    valid('query', periodsQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      const { items, next } = await listPeriods(c.get('context'), id, c.req.valid('query'))
      return c.json({ items }, 200, nextLink(c, next))
    },
  )
  .get(
    '/slcs/:id/burn',
    policy({
      summary: 'Read how the credit of a service level container was used over a period',
      roles: 'signed-in',
      object: 'read',
      answers: { 200: ok(burnView, 'The use of the credit, without corrections of the past.') },
    }),
    valid('param', idPath),
    valid('query', burnQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      return c.json(await readBurn(c.get('context'), id, c.req.valid('query')))
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
    valid('param', idPath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', recalculationBody),
    async (c) => {
      const { id } = c.req.valid('param')
      return c.json(await recalculatePeriods(c.get('context'), id, c.req.valid('json')))
    },
  )
