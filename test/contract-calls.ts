/**
 * The requests and answers that read, search, change and remove, in the notation of
 * contract-messages.test.ts.
 */
export const calls: Readonly<Record<string, string>> = {
  "iam.account.v1.CheckInitializationRequest": "1 user_id: string · 2 code: string",
  "iam.account.v1.CheckInitializationResponse": `1 user_name: string · 2 display_name: string ·
    3 needs_password: bool · 4 password_characters_min: uint32 ·
    5 password_characters_max: uint32 · 6 phone_unverified: bool`,
  "iam.account.v1.InitializeRequest": "1 user_id: string · 2 code: string · 3 password: string",
  "iam.account.v1.InitializeResponse": "1 details: iam.v1.ObjectDetails",
  "iam.account.v1.BeginPasskeyRequest": "1 user_id: string · 2 code_id: string · 3 code: string",
  "iam.account.v1.BeginPasskeyResponse": "1 options: google.protobuf.Struct",
  "iam.account.v1.FinishPasskeyRequest": `1 user_id: string · 2 code_id: string · 3 code: string ·
    4 credential: google.protobuf.Struct · 5 name: string`,
  "iam.account.v1.FinishPasskeyResponse": "1 details: iam.v1.ObjectDetails",
  "iam.account.v1.VerifyPhoneRequest": "1 user_id: string · 2 code: string",
  "iam.account.v1.VerifyPhoneResponse": "1 details: iam.v1.ObjectDetails",
  "iam.admin.v1.ListEventsRequest": `1 sequence: uint64 · 2 limit: uint32 · 3 asc: bool ·
    4 editor_user_id: string · 5 event_types: repeated string · 6 aggregate_id: string ·
    7 aggregate_types: repeated string · 8 resource_owner: string ·
    9 creation_date: google.protobuf.Timestamp deprecated ·
    10 range: iam.admin.v1.ListEventsRequest.CreationDateRange (oneof creation_date_filter) ·
    11 from: google.protobuf.Timestamp (oneof creation_date_filter)`,
  "iam.admin.v1.ListEventsRequest.CreationDateRange":
    "1 since: google.protobuf.Timestamp · 2 until: google.protobuf.Timestamp",
  "iam.admin.v1.ListEventsResponse": "1 events: repeated iam.event.v1.Event",
  "iam.admin.v1.RemoveIDPRequest": "1 idp_id: string",
  "iam.admin.v1.RemoveIDPResponse": "1 details: iam.v1.ObjectDetails",
  "iam.admin.v1.GetIDPByIDRequest": "1 id: string",
  "iam.admin.v1.GetIDPByIDResponse": "1 idp: iam.idp.v1.IDP",
  "iam.admin.v1.ListIDPsRequest": `1 query: iam.v1.ListQuery ·
    2 sorting_column: iam.idp.v1.IDPFieldName · 3 queries: repeated iam.admin.v1.IDPQuery`,
  "iam.admin.v1.IDPQuery": `1 idp_id_query: iam.idp.v1.IDPIDQuery (oneof query) ·
    2 idp_name_query: iam.idp.v1.IDPNameQuery (oneof query)`,
  "iam.admin.v1.ListIDPsResponse": `1 details: iam.v1.ListDetails ·
    2 sorting_column: iam.idp.v1.IDPFieldName · 3 result: repeated iam.idp.v1.IDP`,
  "iam.admin.v1.RemoveIAMMemberRequest": "1 user_id: string",
  "iam.admin.v1.RemoveIAMMemberResponse": "1 details: iam.v1.ObjectDetails",
  "iam.admin.v1.ListOrgsRequest": `1 query: iam.v1.ListQuery ·
    2 sorting_column: iam.org.v1.OrgFieldName · 3 queries: repeated iam.org.v1.OrgQuery`,
  "iam.admin.v1.ListOrgsResponse": `1 details: iam.v1.ListDetails ·
    2 sorting_column: iam.org.v1.OrgFieldName · 3 result: repeated iam.org.v1.Org`,
  "iam.management.v1.DeactivateActionRequest": "1 id: string",
  "iam.management.v1.DeactivateActionResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.ReactivateActionRequest": "1 id: string",
  "iam.management.v1.ReactivateActionResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.DeleteActionRequest": "1 id: string",
  "iam.management.v1.DeleteActionResponse": "",
  "iam.management.v1.GetActionRequest": "1 id: string",
  "iam.management.v1.GetActionResponse": "1 action: iam.action.v1.Action",
  "iam.management.v1.ListActionsRequest": `1 query: iam.v1.ListQuery ·
    2 sorting_column: iam.action.v1.ActionFieldName ·
    3 queries: repeated iam.management.v1.ActionQuery`,
  "iam.management.v1.ActionQuery": `1 action_id_query: iam.action.v1.ActionIDQuery (oneof query) ·
    2 action_name_query: iam.action.v1.ActionNameQuery (oneof query) ·
    3 action_state_query: iam.action.v1.ActionStateQuery (oneof query)`,
  "iam.management.v1.ListActionsResponse": `1 details: iam.v1.ListDetails ·
    2 sorting_column: iam.action.v1.ActionFieldName · 3 result: repeated iam.action.v1.Action`,
  "iam.management.v1.RemoveAppRequest": "1 project_id: string · 2 app_id: string",
  "iam.management.v1.RemoveAppResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.DeactivateAppRequest": "1 project_id: string · 2 app_id: string",
  "iam.management.v1.DeactivateAppResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.ReactivateAppRequest": "1 project_id: string · 2 app_id: string",
  "iam.management.v1.ReactivateAppResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.RegenerateOIDCClientSecretRequest": "1 project_id: string · 2 app_id: string",
  "iam.management.v1.RegenerateOIDCClientSecretResponse":
    "1 client_secret: string · 2 details: iam.v1.ObjectDetails",
  "iam.management.v1.RegenerateAPIClientSecretRequest": "1 project_id: string · 2 app_id: string",
  "iam.management.v1.RegenerateAPIClientSecretResponse":
    "1 client_secret: string · 2 details: iam.v1.ObjectDetails",
  "iam.management.v1.GetAppByIDRequest": "1 project_id: string · 2 app_id: string",
  "iam.management.v1.GetAppByIDResponse": "1 app: iam.app.v1.App",
  "iam.management.v1.ListAppsRequest":
    "1 project_id: string · 2 query: iam.v1.ListQuery · 3 queries: repeated iam.app.v1.AppQuery",
  "iam.management.v1.ListAppsResponse":
    "1 details: iam.v1.ListDetails · 2 result: repeated iam.app.v1.App",
  "iam.management.v1.RemoveOrgIDPRequest": "1 idp_id: string",
  "iam.management.v1.RemoveOrgIDPResponse": "",
  "iam.management.v1.GetOrgIDPByIDRequest": "1 id: string",
  "iam.management.v1.GetOrgIDPByIDResponse": "1 idp: iam.idp.v1.IDP",
  "iam.management.v1.ListOrgIDPsRequest": `1 query: iam.v1.ListQuery ·
    2 sorting_column: iam.idp.v1.IDPFieldName · 3 queries: repeated iam.management.v1.IDPQuery`,
  "iam.management.v1.IDPQuery": `1 idp_id_query: iam.idp.v1.IDPIDQuery (oneof query) ·
    2 idp_name_query: iam.idp.v1.IDPNameQuery (oneof query) ·
    3 owner_type_query: iam.idp.v1.IDPOwnerTypeQuery (oneof query)`,
  "iam.management.v1.ListOrgIDPsResponse": `1 details: iam.v1.ListDetails ·
    2 sorting_column: iam.idp.v1.IDPFieldName · 3 result: repeated iam.idp.v1.IDP`,
  "iam.management.v1.RemoveOrgMemberRequest": "1 user_id: string",
  "iam.management.v1.RemoveOrgMemberResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.RemoveProjectMemberRequest": "1 project_id: string · 2 user_id: string",
  "iam.management.v1.RemoveProjectMemberResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.DeactivateProjectRequest": "1 id: string",
  "iam.management.v1.DeactivateProjectResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.ReactivateProjectRequest": "1 id: string",
  "iam.management.v1.ReactivateProjectResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.RemoveProjectRequest": "1 id: string",
  "iam.management.v1.RemoveProjectResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.GetProjectByIDRequest": "1 id: string",
  "iam.management.v1.GetProjectByIDResponse": "1 project: iam.project.v1.Project",
  "iam.management.v1.ListProjectsRequest":
    "1 query: iam.v1.ListQuery · 2 queries: repeated iam.project.v1.ProjectQuery",
  "iam.management.v1.ListProjectsResponse":
    "1 details: iam.v1.ListDetails · 2 result: repeated iam.project.v1.Project",
  "iam.management.v1.DeactivateUserRequest": "1 id: string",
  "iam.management.v1.DeactivateUserResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.ReactivateUserRequest": "1 id: string",
  "iam.management.v1.ReactivateUserResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.RemoveUserRequest": "1 id: string",
  "iam.management.v1.RemoveUserResponse": "1 details: iam.v1.ObjectDetails",
  "iam.management.v1.GetUserByIDRequest": "1 id: string",
  "iam.management.v1.GetUserByIDResponse": "1 user: iam.user.v1.User",
  "iam.management.v1.ListUsersRequest": `1 query: iam.v1.ListQuery ·
    2 sorting_column: iam.user.v1.UserFieldName · 3 queries: repeated iam.user.v1.SearchQuery`,
  "iam.management.v1.ListUsersResponse": `1 details: iam.v1.ListDetails ·
    2 sorting_column: iam.user.v1.UserFieldName · 3 result: repeated iam.user.v1.User`,
  "iam.event.v1.WatchEventsRequest": `1 sequence: uint64 · 2 resource_owner: string ·
    3 event_types: repeated string · 4 aggregate_types: repeated string · 5 aggregate_id: string`,
  "iam.event.v1.WatchEventsResponse": "1 event: iam.event.v1.Event · 2 processed_sequence: uint64",
};
