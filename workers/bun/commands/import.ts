import { stringify } from 'yaml'
import type * as z from 'zod'

import type { Action, Command } from './action.ts'
import { fromHealthchecks, healthchecksSchema } from './import/healthchecks.ts'
import type { ImportedGroup } from './import/imported.ts'
import { fromUptimeKuma, uptimeKumaSchema } from './import/uptime-kuma.ts'
import { readJson, valid } from './input.ts'

const LINE_WIDTH = 120

/** `tidemark import`: prints the checks of another system as a manifest. */
export const importCommand: Command = {
  name: 'import',
  about:
    'Prints the checks of another system as a manifest for tidemark apply; calls no service. healthchecks reads the answer of\n' +
    '  GET /api/v3/checks/, uptime-kuma a backup or a list of monitors. Secrets, messages and histories are not imported.',
  actions: {
    healthchecks: action('healthchecks', healthchecksSchema, fromHealthchecks),
    'uptime-kuma': action('uptime-kuma', uptimeKumaSchema, fromUptimeKuma),
  },
}

function action<Schema extends z.ZodType>(
  source: string,
  schema: Schema,
  groupOf: (document: z.output<Schema>) => ImportedGroup,
): Action {
  return {
    words: '<file>',
    count: [1, 1],
    options: { manifest: { value: 'name' } },
    run: async (invocation) => {
      const document = await readJson(invocation.file())
      const group = groupOf(valid(document, schema, `The file is not an export of ${source}.`))
      const manifest = invocation.text('manifest') ?? source
      return { text: stringify({ manifest, groups: [group] }, { lineWidth: LINE_WIDTH }) }
    },
  }
}
