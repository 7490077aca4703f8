import { describe, expect, test } from 'bun:test'
import { createApp } from '../../src/app.ts'
import { validationOf } from '../../src/http/valid.ts'
import { newAjv, schemaCompiler } from './openapi-checker.ts'
import type { Document } from './openapi-checker.ts'
import { portless } from './portless.ts'
import { routeApps } from './route-apps.ts'

type Json = Readonly<Record<string, unknown>>
type Media = {
  readonly schema?: Json
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>
}
type Content = Readonly<Record<string, Media>>

const app = createApp(portless)
const document = (await (await app.fetch(new Request('http://host/openapi.json'))).json()) as Document & Json
const { components } = document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
  })),
)

/** Each body and each answer, but for bytes, which have no schema. */
const media = [
  ...operations.flatMap(({ name, operation }) => {
    const { requestBody, responses } = operation as unknown as {
      readonly requestBody?: { readonly content: Content }
      readonly responses: Readonly<Record<string, { readonly content?: Content }>>
    }
    return [
      ...mediaIn(`${name} body`, requestBody?.content),
      ...Object.entries(responses).flatMap(([status, { content }]) => mediaIn(`${name} ${status}`, content)),
    ]
  }),
  ...Object.entries(components.responses).flatMap(([status, response]) =>
    mediaIn(`refusals ${status}`, (response as { readonly content: Content }).content),
  ),
]

function mediaIn(name: string, content: Content = {}): (readonly [name: string, media: Media])[] {
  return Object.entries(content)
    .filter(([, { schema }]) => schema !== undefined)
    .map(([type, one]) => [`${name} ${type}`, one] as const)
}

function exampleOf({ example, examples = {} }: Media): unknown {
  const [named] = Object.values(examples)
  const name = named?.$ref.split('/').at(-1) ?? ''
  return named ? components.examples[name]?.value : example
}

const ajv = newAjv()
const compiled = schemaCompiler(ajv, components)

describe('the examples of the OpenAPI document', () => {
  test('are there for each body and each answer', () => {
    expect(media.length).toBeGreaterThan(350)
    expect(media.filter(([, one]) => exampleOf(one) === undefined)).toEqual([])
  })

  test('are allowed by their schemas', () => {
    const distinct = new Map(media.map(([name, one]) => [JSON.stringify(one), [name, one] as const]))
    const refused = [...distinct.values()].flatMap(([name, one]) => {
      const validate = compiled(one.schema ?? {})
      return validate(exampleOf(one)) ? [] : [{ name, errors: ajv.errorsText(validate.errors) }]
    })
    expect(refused).toEqual([])
  })

  test('are accepted as bodies', async () => {
    const routes = (await routeApps()).flatMap((one) => one.routes)
    const bodies = routes.flatMap(({ method, path, handler }) => {
      const validation = validationOf(handler)
      const template = path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')
      const body = media.find(([name]) => name === `${method} ${template} body application/json`)
      return validation?.target === 'json' && body
        ? [{ name: body[0], validation, body: exampleOf(body[1]) }]
        : []
    })
    expect(bodies.length).toBeGreaterThan(80)
    const refused = await Promise.all(
      bodies.map(async ({ name, validation, body }) => {
        const { success, error } = await validation.schema.safeParseAsync(body)
        return success ? [] : [{ name, body, issues: error.issues }]
      }),
    )
    expect(refused.flat()).toEqual([])
  })
})
