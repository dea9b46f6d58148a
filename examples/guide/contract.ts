// #region import
import openapi from "@rowmill/contract/openapi.json" with { type: "json" };
// #endregion

console.log(openapi.info.title);
