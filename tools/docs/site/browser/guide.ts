/** What a page of the guide can do beyond being read: search, another theme, copying of code. Everything else works without it. */
import { offerCopying } from "./copy-code.ts";
import { followReading } from "./follow-reading.ts";
import { openBesideText } from "./open-beside-text.ts";
import { offerSearch, searchForMissingPage } from "./search.ts";
import { offerThemes } from "./themes.ts";

openBesideText();
offerSearch();
offerThemes();
offerCopying();
followReading();
searchForMissingPage();
