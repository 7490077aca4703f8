import type { Answer } from '../../api/client.ts'
import { t } from '../../language/t.ts'

export type Analysis = Answer<'/scripts/groups/{groupId}/analyze-zip', 'post'>
export type Packed = Analysis['scripts'][number]

/** The effect of an import on a script: it is refused without its data sources, and where a script of its name must stay. */
export type Effect = 'new' | 'replaces' | 'identical' | 'taken' | 'refused'

export function effectOf({ conflict, missingDataSources }: Packed, overwrite: boolean): Effect {
  if (missingDataSources.length > 0) return 'refused'
  if (conflict === null) return 'new'
  if (!overwrite) return 'taken'
  return conflict.identical ? 'identical' : 'replaces'
}

/** The names of the scripts of an archive that can be imported. */
export function importable({ scripts }: Analysis, overwrite: boolean): readonly string[] {
  return scripts
    .filter((one) => !['taken', 'refused'].includes(effectOf(one, overwrite)))
    .map(({ name }) => name)
}

/** How many files of an existing script an import adds, changes and deletes. */
export function changeText({ files, conflict }: Packed): string {
  const count = (change: Packed['files'][number]['change']): number =>
    files.filter((file) => file.change === change).length
  return t('scripts.importChanges', {
    added: count('added'),
    changed: count('changed'),
    removed: conflict?.removedFiles.length ?? 0,
  })
}
