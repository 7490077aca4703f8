import { Hono } from 'hono'
import * as z from 'zod'
import { ok } from '../../http/openapi-answers.ts'
import { nextLink, pageOrWhole } from '../../http/paging.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { Refusal } from '../../lib/errors.ts'
import { automaticRoutes } from './automatic/routes.ts'
import {
  languagePath,
  languageView,
  LIMIT_MAX,
  textsBody,
  textsQuery,
  translationView,
  updatedView,
} from './schema.ts'
import { changeTexts, listLanguages, readTexts } from './service.ts'

const BODY_MAX_BYTES = 512 * 1024
const updated = { 200: ok(updatedView, 'The texts were changed.') }

const textRoutes = new Hono<Env>()
  .get(
    '/translations',
    policy({
      summary: 'List the languages that have texts',
      roles: 'signed-in',
      answers: { 200: ok(z.array(languageView), 'The languages.') },
    }),
    async (c) => c.json(await listLanguages(c.get('context'))),
  )
  .get(
    '/translations/:language',
    policy({
      summary: 'Read the texts of a language',
      roles: 'signed-in',
      answers: { 200: ok(translationView, 'The texts, by key.', ['Link']) },
      refuses: [422],
    }),
    valid('param', languagePath),
    valid('query', textsQuery),
    async (c) => {
      const language = named(c.req.valid('param').language)
      const { items, next } = await pageOrWhole(c.req.valid('query'), LIMIT_MAX, (page) =>
        readTexts(c.get('context'), language, page),
      )
      return c.json({ language, texts: items }, 200, nextLink(c, next))
    },
  )
  .post(
    '/translations/:language',
    policy({
      summary: 'Set or remove some texts of a language',
      roles: ADMINISTRATOR,
      answers: updated,
      refuses: [409],
    }),
    valid('param', languagePath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', textsBody),
    async (c) => {
      const change = { kind: 'merge', language: named(c.req.valid('param').language) } as const
      const { texts } = c.req.valid('json')
      return c.json({ updated: await changeTexts(c.get('context'), { ...change, texts }) })
    },
  )
  .put(
    '/translations/:language',
    policy({
      summary: 'Replace all texts of a language',
      roles: ADMINISTRATOR,
      answers: updated,
      refuses: [409],
    }),
    valid('param', languagePath),
    jsonBody(BODY_MAX_BYTES),
    valid('json', textsBody),
    async (c) => {
      const change = { kind: 'replace', language: named(c.req.valid('param').language) } as const
      const { texts } = c.req.valid('json')
      return c.json({ updated: await changeTexts(c.get('context'), { ...change, texts }) })
    },
  )

export const translationRoutes = new Hono<Env>().route('/', automaticRoutes).route('/', textRoutes)

function named(language: string): string {
  if (language !== '') return language
  const fault = { pointer: '{language}', message: 'must be a language tag such as de or de-CH' }
  throw new Refusal('invalid', 'The path must have a language tag such as de or de-CH.', [fault])
}
