import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { background } from '../../../kit/background.ts'
import { Skeleton } from '../../../kit/feedback.tsx'
import { loadWords } from '../../../language/t.ts'
import { words } from './words.ts'

type View = ComponentType<{ readonly id: number }>
let loaded: View | null = null

/** The page of a job: its values, deliveries, configuration and outages. A chunk of its own. */
export function JobPage({ id }: { readonly id: number }): JSX.Element {
  const [LoadedView, setView] = useState<View | null>(() => loaded)
  useEffect(() => {
    if (LoadedView !== null) return
    background(
      Promise.all([import('./job-view.tsx'), loadWords(words)]).then(([{ JobView }]) => {
        loaded = JobView
        setView(() => JobView)
      }),
    )
  }, [])
  return LoadedView === null ? <Skeleton lines={6} /> : <LoadedView key={id} id={id} />
}
