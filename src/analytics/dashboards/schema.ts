import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { flagQuery, idParam, shownOnly } from '../../http/openapi-answers.ts'
import { composedName, languageTag, storableText } from '../../http/text-schemas.ts'
import { definitionBody, definitionView } from './definition.ts'
import { fileName } from './parts.ts'
import { permissionsView } from './groups/schema.ts'
import { REFERENCE_KINDS } from './references.ts'
import { isFreeWord, URL_NAME } from './url-name.ts'

export const DASHBOARDS_MAX = 5_000
const DESCRIPTION_MAX = 4_000
const SEARCH_MAX = 255

const dashboardRef = z
  .string()
  .max(80)
  .regex(/^[A-Za-z0-9-]+$/)
  .transform((ref) => (/^[1-9]\d{0,14}$/.test(ref) ? Number(ref) : ref.toLowerCase()))
  .describe('The id or the URL name of the dashboard.')
  .meta({ type: 'string' })
/** The id or the URL name of a dashboard. */
export type DashboardRef = z.output<typeof dashboardRef>

export const dashboardPath = z.object({ id: dashboardRef })
export const versionPath = z.object({
  id: dashboardRef,
  number: idParam.describe('The number of a version.'),
})

const urlName = z
  .string()
  .regex(URL_NAME, 'must have 1 to 80 letters a to z, digits and hyphens')
  .refine(isFreeWord, 'must not be a number or a reserved word')
  .overwrite((name) => name.toLowerCase())
  .meta({ examples: ['plant-north'] })

export const dashboardBody = z
  .strictObject({
    id: shownOnly,
    uuid: shownOnly,
    valid: shownOnly,
    public: shownOnly,
    problems: shownOnly,
    permissions: shownOnly,
    references: shownOnly,
    createdAt: shownOnly,
    updatedAt: shownOnly,
    updatedBy: shownOnly,
    managedBy: shownOnly,
    language: z
      .null('must be null: this is a translated read. Read it with raw=true')
      .optional()
      .meta({ examples: [null] })
      .describe('Null as reads with `raw=true` show it; a translated read is refused.'),
    version: z.int().positive().optional().describe('The version that a PUT without If-Match replaces.'),
    name: composedName,
    urlName: urlName
      .optional()
      .describe(
        'The name in URLs, in any letter case, which no other dashboard has. If absent, it is made of the name.',
      ),
    groupId: z.int().positive().nullable().default(null).describe('The group; null for none.'),
    description: storableText.max(DESCRIPTION_MAX).default(''),
    definition: definitionBody.prefault({}),
  })
  .meta({
    examples: [
      {
        name: 'Plant north',
        definition: {
          widgets: { w1: { kind: 'value', title: 'Line 1', source: { type: 'job', jobId: 3 } } },
          pages: [{ id: 'main', title: 'Overview', items: [{ widget: 'w1', x: 0, y: 0, w: 3, h: 2 }] }],
        },
      },
    ],
  })

export const problemView = z.object({
  pointer: z.string().meta({ examples: ['/definition/widgets/w1/source/jobId'] }),
  code: z
    .enum(['gone', 'unmatched', 'unknown_widget', 'stray_translation', 'unreadable'])
    .describe(
      '`gone`: something that was deleted; `unmatched`: something that an import did not find; `unknown_widget`: a widget of a newer release; `stray_translation`: a translation of a text that is not there; `unreadable`: a definition that this release cannot read.',
    ),
  message: z.string(),
})

const summary = {
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  urlName: z.string().meta({ examples: ['plant-north'] }),
  groupId: z.int().nullable().describe('The group; null for none.'),
  description: z.string(),
  version: z.int().describe('The number of its version, which rises with each change of its contents.'),
  valid: z.boolean().describe('Whether all that it shows exists.'),
  public: z.boolean().describe('Whether it has a public link that has not ended.'),
  permissions: permissionsView.describe('The rights of the caller.'),
  managedBy: z.string().describe('The origin of a dashboard that is changed as code; empty for others.'),
  createdAt: timestamp,
  updatedAt: timestamp,
  updatedBy: z.string().describe('The name of the user who changed it last.'),
}
export const summaryView = z.object(summary).meta({ id: 'DashboardSummary' })

export const dashboardView = z
  .object({
    ...summary,
    language: z
      .string()
      .nullable()
      .describe('The language of the texts where translations stand in place of the originals, else null.'),
    definition: definitionView.describe('The widgets, pages, parameters and translations.'),
    problems: z.array(problemView),
    references: z
      .object(
        Object.fromEntries(REFERENCE_KINDS.map((kind) => [kind, z.array(z.union([z.int(), z.string()]))])),
      )
      .describe('The ids of all that it shows or uses by kind, and the names of files.')
      .meta({
        examples: [{ object: [3], dataQuery: [7], script: [], dashboard: [], file: [], forecast: [] }],
      }),
  })
  .meta({ id: 'Dashboard' })

export const listQuery = z.object({
  groupId: idParam.optional().describe('Only dashboards in this group.'),
  q: storableText
    .min(1)
    .max(SEARCH_MAX)
    .optional()
    .describe('Only dashboards with this in their name, URL name or description, in any letter case.'),
  sort: z
    .enum(['name', 'updatedAt'])
    .default('name')
    .describe('The order: by name, or the latest change first.'),
})

export const readQuery = z.object({
  language: languageTag
    .optional()
    .describe('The language of the texts as a BCP 47 tag; default: the language of the user.'),
  raw: flagQuery
    .default(false)
    .describe('true: the original texts with all translations, as a PUT takes them.'),
})

export const deletionQuery = z.object({ forceDelete: flagQuery.default(false) })

export const moveBody = z
  .strictObject({ groupId: z.int().positive().nullable().describe('The new group; null for none.') })
  .meta({ examples: [{ groupId: 2 }] })

export const moveQuery = z.object({
  groupId: idParam.optional().describe('The new group; absent for none.'),
})

const subject = z.object({
  subjectType: z.enum(['user', 'userGroup', 'everyone']),
  subjectId: z.int(),
  subjectName: z.string(),
})

export const moveView = z
  .object({
    won: z.array(subject).describe('Users and user groups that can read the dashboard after the move alone.'),
    lost: z
      .array(subject)
      .describe('Users and user groups that can read the dashboard before the move alone.'),
  })
  .meta({ id: 'DashboardMove' })

export const copyBody = z
  .strictObject({
    name: composedName.optional().describe('The name of the copy; default: the name of the dashboard.'),
    groupId: z
      .int()
      .positive()
      .nullable()
      .optional()
      .describe('The group of the copy; default: the group of the dashboard.'),
  })
  .meta({ examples: [{ name: 'Plant south' }] })

export const dependentView = z
  .object({
    dashboardId: z.int(),
    widgetId: z.string().describe('Empty where the dashboard itself refers to it.'),
    title: z.string().describe('The title of the widget.'),
    pointer: z.string().meta({ examples: ['/widgets/w1/dashboardId'] }),
  })
  .meta({ id: 'DashboardDependent' })

export const usesView = z.object({
  items: z.array(dependentView),
  total: z.int().describe('The number of all, also in dashboards that the caller may not read.'),
})

export const usesQuery = z
  .object({
    kind: z.enum(REFERENCE_KINDS).describe('The kind of the thing that widgets show or use.'),
    id: idParam.optional().describe('The id of the thing; for every kind but `file`.'),
    name: fileName.optional().describe('The name of the file.'),
  })
  .refine(({ kind, id, name }) => (kind === 'file' ? name !== undefined : id !== undefined), {
    path: ['id'],
    message: 'must be there; for a file, name must be there',
  })

export type UsesQuery = z.output<typeof usesQuery>
export type DashboardBody = z.output<typeof dashboardBody>
export type DashboardView = z.output<typeof dashboardView>
export type SummaryView = z.output<typeof summaryView>
export type ProblemView = z.output<typeof problemView>
export type ListQuery = z.output<typeof listQuery>
export type ReadQuery = z.output<typeof readQuery>
export type CopyBody = z.output<typeof copyBody>
export type MoveView = z.output<typeof moveView>
export type DependentView = z.output<typeof dependentView>
