import * as z from 'zod'

export const LANGUAGES = ['python', 'bash', 'javascript'] as const
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const PATH_MAX = 2_000
const CONTENT_MAX = 32 * 1024

export type Language = (typeof LANGUAGES)[number]

const jobId = z.int().positive().max(999_999_999_999_999).describe('The id of the job.')
/** One slash only: two of them begin the name of another host. */
const path = z
  .string()
  .max(PATH_MAX)
  .regex(/^\/(?!\/)[\x21-\x7e]*$/, 'must be the path of a route, beginning with a slash, as in a URL')

/** The subjects of the templates. */
export const targets = {
  'webhook-delivery': z.strictObject({
    jobId,
    key: z
      .string()
      .regex(/^returnValue[1-9]\d?$/, 'must be returnValueN')
      .default('returnValue1')
      .describe('The value to use.'),
  }),
  'value-history': z.strictObject({
    jobId,
    key: z
      .string()
      .regex(
        /^(?:errorCode|(?:returnValue|stringValue)[1-9]\d?)$/,
        'must be returnValueN, stringValueN or errorCode',
      )
      .default('returnValue1')
      .describe('The value to use.'),
  }),
  alarms: z.strictObject({
    state: z
      .enum(['open', 'assigned', 'closed'])
      .default('open')
      .describe('The state of the alarms to print.'),
  }),
  'http-call': z
    .strictObject({
      method: z.enum(METHODS).default('GET'),
      path: path.describe('A path of this service, with its query.'),
      content: z
        .union([z.record(z.string(), z.json()), z.array(z.json())])
        .optional()
        .describe('The JSON body of the request.'),
    })
    .refine(({ content }) => JSON.stringify(content ?? null).length <= CONTENT_MAX, {
      path: ['content'],
      message: `must have at most ${CONTENT_MAX} characters`,
    })
    .refine(({ method, content }) => method !== 'GET' || content === undefined, {
      path: ['content'],
      message: 'is not allowed with GET',
    }),
} as const

export type TemplateName = keyof typeof targets
export type Targets = { readonly [Name in TemplateName]: z.infer<(typeof targets)[Name]> }

const options = z
  .strictObject({
    poetry: z.boolean().default(false).describe('Whether a `pyproject.toml` is generated; for Python.'),
  })
  .prefault({})

const variant = <Name extends TemplateName>(name: Name) =>
  z.strictObject({
    template: z.literal(name),
    language: z.enum(LANGUAGES),
    target: targets[name],
    options,
  })

export const generateBody = z
  .discriminatedUnion('template', [
    variant('webhook-delivery'),
    variant('value-history'),
    variant('alarms'),
    variant('http-call'),
  ])
  .superRefine(({ language, options: { poetry } }, issues) => {
    if (poetry && language !== 'python')
      issues.addIssue({ code: 'custom', path: ['options', 'poetry'], message: 'is allowed for Python only' })
  })

export type GenerateBody = z.infer<typeof generateBody>

export const templatesView = z.object({
  templates: z.array(
    z.object({
      template: z.string(),
      description: z.string(),
      languages: z.array(z.enum(LANGUAGES)),
      target: z.looseObject({}).describe('The parameters of the template, as JSON Schema.'),
    }),
  ),
})

export const generatedView = z
  .object({
    files: z.array(z.object({ path: z.string(), content: z.string() })),
    notes: z.array(z.string()),
  })
  .meta({ id: 'GeneratedCode' })

export type GeneratedView = z.infer<typeof generatedView>
