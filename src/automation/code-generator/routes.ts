import { Hono } from 'hono'
import * as z from 'zod'
import { ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { generate } from './generator.ts'
import { generateBody, generatedView, LANGUAGES, targets, templatesView } from './schema.ts'
import type { TemplateName } from './schema.ts'
import { TEMPLATES } from './templates.ts'

const BODY_MAX_BYTES = 64 * 1024
/** The roles that edit trees of scripts. */
const DATA_EDITORS = ['administrator', 'Data_Editor'] as const

export const codeGeneratorRoutes = new Hono<Env>()
  .get(
    '/scripts/codeGenerator',
    policy({
      summary: 'List the templates of the code generator',
      roles: DATA_EDITORS,
      answers: { 200: ok(templatesView, 'The templates.') },
    }),
    (c) => c.json({ templates: NAMES.map(templateView) }),
  )
  .post(
    '/scripts/codeGenerator',
    policy({
      summary: 'Generate the files of a script from a template, without saving them',
      roles: DATA_EDITORS,
      scope: 'read',
      answers: { 200: ok(generatedView, 'The files.') },
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', generateBody),
    (c) => c.json(generate(c.req.valid('json'))),
  )

const NAMES = Object.keys(TEMPLATES) as TemplateName[]

function templateView(template: TemplateName) {
  const { description } = TEMPLATES[template]
  return { template, description, languages: [...LANGUAGES], target: schemaOf(template) }
}

function schemaOf(template: TemplateName): Record<string, unknown> {
  return z.toJSONSchema(targets[template], { io: 'input' })
}
