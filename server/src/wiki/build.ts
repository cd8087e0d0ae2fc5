import type { Material, Wiki, WikiPage } from './material.ts';
import { activityPage, commandsPage, configurationPage, interfacesPage } from './pages/fact-pages.ts';
import { architecturePage } from './pages/architecture-page.ts';
import { modulePage } from './pages/module-page.ts';
import { overviewPage } from './pages/overview-page.ts';
import { steeredPages } from './pages/steered-pages.ts';
import { survey } from './survey.ts';

/** Makes a wiki's pages, the overview first. */
export function buildWiki(material: Material): Wiki {
  const all = survey(material);
  const modules = all.modules.map((module) => modulePage(all, module));
  const overview = overviewPage(all, new Map(modules.map(({ slug, summary }) => [slug, summary])));
  const shared = [
    architecturePage(all),
    commandsPage(all),
    configurationPage(all),
    interfacesPage(all),
    activityPage(all),
  ];
  const pages = [
    overview,
    ...steeredPages(all),
    ...shared.filter((page): page is WikiPage => page !== undefined),
    ...modules,
  ];
  return { pages, note: all.steering.problem };
}
