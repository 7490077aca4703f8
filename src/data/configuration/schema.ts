import * as z from 'zod'
import { flagQuery } from '../../http/openapi-answers.ts'
import { areDistinct } from '../../lib/same.ts'
import { portableScope, SCOPES_MAX } from '../scopes/schema.ts'
import { filterSchema } from '../filters/schema.ts'
import { annotationsBody, columnName, commentText, NOTES_MAX, noteView, tableName } from '../sources/notes.ts'
import { dataSourceBody, dataSourceView, SOURCES_MAX } from '../sources/schema.ts'

/** Changes when a reader of the former could not read it. */
const FORMAT = 1

export const exportBody = z.strictObject({
  ids: z
    .array(z.int().positive())
    .min(1)
    .max(SOURCES_MAX)
    .optional()
    .describe('The ids of data sources; all of them if absent.'),
})

const format = z.literal(FORMAT).describe('The version of this format.')

const exportedNote = noteView.extend({
  table: z.string().meta({ examples: ['orders'] }),
  column: z.string().nullable().describe('Null for a note on the table itself.'),
})

export const exportView = z
  .object({
    format,
    dataSources: z.array(
      z.object({
        settings: dataSourceView
          .omit({ id: true, comment: true, annotations: true, createdAt: true, updatedAt: true })
          .describe('The settings without the password; `passwordSet` is true if there is one.'),
        ...noteView.shape,
        notes: z.array(exportedNote).describe('Comments and annotations on tables and columns.'),
        scopes: z
          .array(portableScope.extend({ filter: filterSchema.nullable() }))
          .describe('Scopes, with names of users and user groups.'),
      }),
    ),
  })
  .meta({ id: 'DataSourceConfiguration' })

const note = { comment: commentText.default(null), annotations: annotationsBody.default({}) }

const incoming = z.strictObject({
  settings: dataSourceBody.describe('The settings; `connection` may have a password.'),
  ...note,
  notes: z
    .array(
      z.strictObject({
        table: tableName,
        column: columnName.nullable().default(null).describe('Null for a note on the table itself.'),
        ...note,
      }),
    )
    .max(NOTES_MAX)
    .refine(
      (notes) => areDistinct(notes.map(({ table, column }) => JSON.stringify([table, column]))),
      'must have one note for each table and column',
    ),
  scopes: z
    .array(portableScope)
    .max(SCOPES_MAX)
    .refine(
      (scopes) => areDistinct(scopes.map(({ name }) => name.toLowerCase())),
      'must have different names',
    ),
})

export const importBody = z.strictObject({
  format,
  dataSources: z
    .array(incoming)
    .min(1)
    .max(SOURCES_MAX)
    .refine(
      (sources) => areDistinct(sources.map(({ settings }) => settings.name.toLowerCase())),
      'must have different names',
    ),
})

export const importQuery = z.object({
  overwrite: flagQuery
    .default(false)
    .describe('Whether data sources of the same names are replaced, with their notes and scopes.'),
})

export const importView = z
  .object({
    items: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        action: z.enum(['created', 'overwritten']),
        missingPassword: z.boolean().describe('Whether it had a password at the export and has none here.'),
        missingSubjects: z
          .array(z.object({ scope: z.string(), users: z.array(z.string()), userGroups: z.array(z.string()) }))
          .describe('Users and user groups of scopes that do not exist here and were left out.')
          .meta({ examples: [[]] }),
      }),
    ),
  })
  .meta({ id: 'DataSourceImport' })

export type ImportBody = z.output<typeof importBody>
export type ExportView = z.output<typeof exportView>
export type ImportView = z.output<typeof importView>
