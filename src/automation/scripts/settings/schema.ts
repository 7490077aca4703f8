import * as z from 'zod'
import {
  CONFIGURATIONS_MAX,
  runConfigurationBody,
  runConfigurationView,
} from '../run-configurations/schema.ts'
import {
  SCHEDULES_MAX,
  scheduleConfigurationBody,
  scheduleConfigurationView,
} from '../schedule-configurations/schema.ts'
import { scriptView, settingsShape } from '../schema.ts'

const IN_PLACE = 'Replaces the present ones; one with an id keeps its identity. Absent: unchanged.'

export const settingsBody = z.strictObject({
  ...settingsShape,
  runConfigurations: z.array(runConfigurationBody).max(CONFIGURATIONS_MAX).optional().describe(IN_PLACE),
  scheduleConfigurations: z.array(scheduleConfigurationBody).max(SCHEDULES_MAX).optional().describe(IN_PLACE),
})

export const settingsView = z
  .object({
    ...scriptView.pick({ name: true, description: true, groupId: true, timeout: true, acceptedFiles: true })
      .shape,
    runConfigurations: z.array(runConfigurationView),
    scheduleConfigurations: z.array(scheduleConfigurationView),
  })
  .meta({ id: 'ScriptSettings' })

export type SettingsBody = z.output<typeof settingsBody>
export type SettingsView = z.output<typeof settingsView>
