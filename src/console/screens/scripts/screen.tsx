import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'

import { List } from './list.tsx'
import { RunPage } from './run-page.tsx'
import { ScriptPage } from './script-page.tsx'

/** The scripts, one of them, or one of its runs. */
export function Screen(): JSX.Element {
  const { script, jobId } = useRoute().params
  if (script === undefined) return <List />
  if (jobId === undefined) return <ScriptPage key={script} script={script} />
  return <RunPage key={jobId} script={script} jobId={jobId} />
}
