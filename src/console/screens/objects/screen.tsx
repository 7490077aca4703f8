import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'

import { Icon } from '../../kit/icons.tsx'
import { BASE, linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { JobPage } from './job/job-page.tsx'
import { PlacePage } from './place/place-page.tsx'
import { useTrail } from './trail.ts'
import type { Place } from './trail.ts'
import { ROOT_ID } from './tree/branches.ts'
import { TreePane } from './tree/tree-pane.tsx'

/** The tree of objects and the page of one. On narrow screens each is a page of its own. */
export function Screen(): JSX.Element {
  // While the next screen loads, the path of the location is already the path of the next screen.
  const { path, params } = useRoute()
  const isTree = params['id'] === undefined
  const type = isTree ? 'group' : (path.slice(BASE.length).split('/')[0] as Place['type'])
  const id = isTree ? ROOT_ID : Number(params['id'])
  const above = useTrail(type, id)
  return (
    <div class={isTree ? 'split fixed' : 'split fixed one'}>
      <TreePane current={{ type, id }} above={above} />
      <div class="page">
        <a class="to-tree" href={linkTo('objects')}>
          <Icon name="objects" />
          {t('objects.toTree')}
        </a>
        {type === 'job' ? <JobPage id={id} /> : <PlacePage key={id} type={type} id={id} above={above} />}
      </div>
    </div>
  )
}
