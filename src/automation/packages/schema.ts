import * as z from 'zod'
import { idParam } from '../../http/openapi-answers.ts'
import { RUNNER_KINDS, WARNINGS } from '../scripts/detection.ts'

const NAMED_MAX = 2_000
const ID_MAX = 999_999_999_999_999
const id = z.int().positive().max(ID_MAX)

export const exportBody = z
  .strictObject({
    scriptIds: z.array(id).max(NAMED_MAX).default([]),
    groupIds: z.array(id).max(NAMED_MAX).default([]).describe('Exports all scripts of these groups.'),
    all: z.boolean().default(false),
  })
  .refine(
    ({ scriptIds, groupIds, all }) => all || scriptIds.length + groupIds.length > 0,
    'must name scripts or groups, or all',
  )

export const groupPath = z.object({ groupId: idParam })

const flagField = (preset: boolean) =>
  z
    .enum(['true', 'false'])
    .default(preset ? 'true' : 'false')
    .transform((text) => text === 'true')
    .meta({ type: 'string', enum: ['true', 'false'] })

const file = z
  .unknown()
  .describe('A ZIP archive of one script, or of archives of scripts.')
  .meta({ type: 'string', format: 'binary' })

const readMetadata = flagField(true).describe(
  'Whether the settings and configurations in `script_metadata.json` are imported.',
)

/** The field that a form may have several times. */
export const REPEATED = 'toImport'

/** The names of scripts: a JSON array in one field, or a name in each of several. */
const toImport = z
  .union([z.string(), z.array(z.string())])
  .transform((given, issues): readonly string[] => {
    const names = namesIn.safeParse(typeof given === 'string' ? listIn(given) : given)
    if (names.success) return names.data
    issues.addIssue({
      code: 'custom',
      message: 'must be a JSON array of at least one name, or one name in each field',
    })
    return z.NEVER
  })
  .optional()
  .describe(
    'The names of the scripts to import: a JSON array, or one field for each name. Absent: all scripts.',
  )

const namesIn = z.array(z.string().min(1)).min(1).max(NAMED_MAX)

/** A JSON array; any other text is one name. */
function listIn(text: string): unknown {
  const json = parsed(text)
  return Array.isArray(json) || text.trimStart().startsWith('[') ? json : [text]
}

export const analyzeFields = z.strictObject({ readMetadata })
export const uploadFields = z.strictObject({ readMetadata, toImport, overwrite: flagField(false) })

/** The forms with their file, as they are described. */
export const analyzeForm = analyzeFields.extend({ file })
export const uploadForm = uploadFields.extend({ file })

export type ExportBody = z.output<typeof exportBody>
export type UploadFields = z.output<typeof uploadFields>

const failed = z.array(
  z.object({
    file: z
      .string()
      .nullable()
      .describe('The file in the archive; null for a requested name that the archive does not contain.'),
    name: z.string().nullable().describe('The name of the script, if known.'),
    code: z.string(),
    detail: z.string(),
  }),
)

const missingSecrets = z
  .array(z.string())
  .describe('Names of the variables whose values are missing because secrets are never exported.')
const warnings = z.array(z.enum(WARNINGS))

export const analysisView = z
  .object({
    scripts: z.array(
      z.object({
        file: z.string(),
        name: z.string(),
        group: z.string().nullable().describe('The group; null if the archive names none.'),
        groupExists: z.boolean(),
        runner: z.enum(RUNNER_KINDS).nullable(),
        files: z
          .array(
            z.object({
              path: z.string(),
              size: z.int().describe('In bytes.'),
              change: z
                .enum(['added', 'changed', 'same'])
                .describe('How an import changes this file of the existing script.'),
            }),
          )
          .describe('The files of the script in the archive, by path.'),
        conflict: z
          .object({
            scriptId: z.int(),
            identical: z.boolean().describe('Whether the existing script has the same files.'),
            removedFiles: z
              .array(z.string())
              .describe('Files of the existing script that an import deletes, by path.'),
            dependents: z.object({ count: z.int() }),
          })
          .nullable()
          .describe('The existing script with this name; null if the name is free.'),
        missingSecrets,
        missingDataSources: z
          .array(z.string())
          .describe(
            'Data sources that the run configurations name but that do not exist here; an empty name for one that was already deleted at the export. The import of this script is refused.',
          ),
        warnings,
      }),
    ),
    errors: failed,
  })
  .meta({ id: 'ScriptPackageAnalysis' })

export const uploadView = z
  .object({
    imported: z.array(
      z.object({
        name: z.string(),
        id: z.int(),
        action: z.enum(['created', 'overwritten']),
        groupId: z.int(),
        missingSecrets,
        warnings,
      }),
    ),
    errors: failed,
  })
  .meta({ id: 'ScriptPackageUpload' })

export type AnalysisView = z.output<typeof analysisView>
export type UploadView = z.output<typeof uploadView>
export type Failed = z.output<typeof failed>[number]

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
