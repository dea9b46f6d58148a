/** By itself: only a transform is written in it. */
export { javascript } from "@codemirror/lang-javascript";
