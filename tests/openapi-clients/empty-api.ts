// The API that RTK Query's generator puts the endpoints into, as in any app that uses it.
import { createApi, fetchBaseQuery } from "@reduxjs/toolkit/query/react";

export const emptyApi = createApi({
  baseQuery: fetchBaseQuery({ baseUrl: "http://127.0.0.1:8080" }),
  endpoints: () => ({}),
});
