import type { Command } from './action.ts'
import { alarmCommand } from './alarm.ts'
import { applyCommand, exportCommand } from './apply.ts'
import { backupCommand } from './backup.ts'
import { completionsCommand } from './completions.ts'
import { dashboardCommand } from './dashboard.ts'
import { deliverCommand } from './deliver.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { execCommand } from './exec.ts'
import { importCommand } from './import.ts'
import { jobCommand } from './job.ts'
import { maintainCommand } from './maintain.ts'
import { queryCommand } from './query.ts'
import { restoreCommand } from './restore.ts'
import { scriptCommand } from './script.ts'
import { tokenCommand } from './token.ts'
import { userCommand } from './user.ts'
import { versionCommand } from './version.ts'

/** The commands beside `serve` and `runner`, in the order of the usage. */
export const COMMANDS: readonly Command[] = [
  deliverCommand,
  execCommand,
  jobCommand,
  alarmCommand,
  maintainCommand,
  scriptCommand,
  queryCommand,
  dashboardCommand,
  applyCommand,
  exportCommand,
  importCommand,
  userCommand,
  tokenCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  demoCommand,
  completionsCommand(() => COMMANDS),
  versionCommand,
]
