/**
 * What objects look like when they are read, and the conditions of searches, in the notation of
 * contract-messages.test.ts.
 */
export const objects: Readonly<Record<string, string>> = {
  "iam.event.v1.Event": `1 editor: iam.event.v1.Editor · 2 aggregate: iam.event.v1.Aggregate ·
    3 sequence: uint64 · 4 creation_date: google.protobuf.Timestamp ·
    5 payload: google.protobuf.Struct · 6 type: iam.event.v1.EventType`,
  "iam.event.v1.Editor": "1 user_id: string · 2 display_name: string · 3 service: string",
  "iam.event.v1.Aggregate":
    "1 id: string · 2 type: iam.event.v1.AggregateType · 3 resource_owner: string",
  "iam.event.v1.AggregateType": "1 type: string · 2 localized: iam.v1.LocalizedMessage",
  "iam.event.v1.EventType": "1 type: string · 2 localized: iam.v1.LocalizedMessage",
  "iam.idp.v1.IDP": `1 id: string · 2 details: iam.v1.ObjectDetails · 3 state: iam.idp.v1.IDPState ·
    4 name: string · 5 styling_type: iam.idp.v1.IDPStylingType · 6 owner: iam.idp.v1.IDPOwnerType ·
    7 oidc_config: iam.idp.v1.OIDCConfig (oneof config) ·
    9 jwt_config: iam.idp.v1.JWTConfig (oneof config) · 8 auto_register: bool`,
  "iam.idp.v1.OIDCConfig": `1 client_id: string · 2 issuer: string · 3 scopes: repeated string ·
    4 display_name_mapping: iam.idp.v1.OIDCMappingField ·
    5 username_mapping: iam.idp.v1.OIDCMappingField`,
  "iam.idp.v1.JWTConfig":
    "1 jwt_endpoint: string · 2 issuer: string · 3 keys_endpoint: string · 4 header_name: string",
  "iam.idp.v1.IDPIDQuery": "1 id: string",
  "iam.idp.v1.IDPNameQuery": "1 name: string · 2 method: iam.v1.TextQueryMethod",
  "iam.idp.v1.IDPOwnerTypeQuery": "1 owner_type: iam.idp.v1.IDPOwnerType",
  "iam.idp.v1.IDPState": "0 IDP_STATE_UNSPECIFIED · 1 IDP_STATE_ACTIVE · 2 IDP_STATE_INACTIVE",
  "iam.idp.v1.IDPOwnerType":
    "0 IDP_OWNER_TYPE_UNSPECIFIED · 1 IDP_OWNER_TYPE_SYSTEM · 2 IDP_OWNER_TYPE_ORG",
  "iam.idp.v1.IDPFieldName": "0 IDP_FIELD_NAME_UNSPECIFIED · 1 IDP_FIELD_NAME_NAME",
  "iam.v1.ListQuery": "1 offset: uint64 · 2 limit: uint32 · 3 asc: bool",
  "iam.v1.ListDetails": `1 total_result: uint64 · 2 processed_sequence: uint64 ·
    3 view_timestamp: google.protobuf.Timestamp`,
  "iam.v1.TextQueryMethod": `0 TEXT_QUERY_METHOD_EQUALS · 1 TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE ·
    2 TEXT_QUERY_METHOD_STARTS_WITH · 3 TEXT_QUERY_METHOD_STARTS_WITH_IGNORE_CASE ·
    4 TEXT_QUERY_METHOD_CONTAINS · 5 TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE ·
    6 TEXT_QUERY_METHOD_ENDS_WITH · 7 TEXT_QUERY_METHOD_ENDS_WITH_IGNORE_CASE`,
  "iam.org.v1.Org": `1 id: string · 2 details: iam.v1.ObjectDetails · 3 state: iam.org.v1.OrgState ·
    4 name: string · 5 primary_domain: string`,
  "iam.org.v1.OrgQuery": `1 name_query: iam.org.v1.OrgNameQuery (oneof query) ·
    2 domain_query: iam.org.v1.OrgDomainQuery (oneof query) ·
    3 state_query: iam.org.v1.OrgStateQuery (oneof query) ·
    4 id_query: iam.org.v1.OrgIDQuery (oneof query)`,
  "iam.org.v1.OrgNameQuery": "1 name: string · 2 method: iam.v1.TextQueryMethod",
  "iam.org.v1.OrgDomainQuery": "1 domain: string · 2 method: iam.v1.TextQueryMethod",
  "iam.org.v1.OrgStateQuery": "1 state: iam.org.v1.OrgState",
  "iam.org.v1.OrgIDQuery": "1 id: string",
  "iam.org.v1.OrgState":
    "0 ORG_STATE_UNSPECIFIED · 1 ORG_STATE_ACTIVE · 2 ORG_STATE_INACTIVE · 3 ORG_STATE_REMOVED",
  "iam.org.v1.OrgFieldName": "0 ORG_FIELD_NAME_UNSPECIFIED · 1 ORG_FIELD_NAME_NAME",
  "iam.action.v1.Action": `1 id: string · 2 details: iam.v1.ObjectDetails ·
    3 state: iam.action.v1.ActionState · 4 name: string · 5 script: string ·
    6 timeout: google.protobuf.Duration · 7 allowed_to_fail: bool`,
  "iam.action.v1.ActionIDQuery": "1 id: string",
  "iam.action.v1.ActionNameQuery": "1 name: string · 2 method: iam.v1.TextQueryMethod",
  "iam.action.v1.ActionStateQuery": "1 state: iam.action.v1.ActionState",
  "iam.action.v1.ActionState":
    "0 ACTION_STATE_UNSPECIFIED · 1 ACTION_STATE_INACTIVE · 2 ACTION_STATE_ACTIVE",
  "iam.action.v1.ActionFieldName": `0 ACTION_FIELD_NAME_UNSPECIFIED · 1 ACTION_FIELD_NAME_NAME ·
    2 ACTION_FIELD_NAME_ID · 3 ACTION_FIELD_NAME_STATE`,
  "iam.app.v1.App": `1 id: string · 2 details: iam.v1.ObjectDetails · 3 state: iam.app.v1.AppState ·
    4 name: string · 5 oidc_config: iam.app.v1.OIDCConfig (oneof config) ·
    6 api_config: iam.app.v1.APIConfig (oneof config) ·
    7 saml_config: iam.app.v1.SAMLConfig (oneof config)`,
  "iam.app.v1.OIDCConfig": `1 redirect_uris: repeated string ·
    2 response_types: repeated iam.app.v1.OIDCResponseType ·
    3 grant_types: repeated iam.app.v1.OIDCGrantType · 4 app_type: iam.app.v1.OIDCAppType ·
    5 client_id: string · 7 auth_method_type: iam.app.v1.OIDCAuthMethodType ·
    8 post_logout_redirect_uris: repeated string · 9 version: iam.app.v1.OIDCVersion ·
    10 none_compliant: bool · 11 compliance_problems: repeated iam.v1.LocalizedMessage ·
    12 dev_mode: bool · 13 access_token_type: iam.app.v1.OIDCTokenType ·
    14 access_token_role_assertion: bool · 15 id_token_role_assertion: bool ·
    16 id_token_userinfo_assertion: bool · 17 clock_skew: google.protobuf.Duration ·
    18 additional_origins: repeated string · 19 allowed_origins: repeated string ·
    20 skip_native_app_success_page: bool · reserved 6 · reserved 21 · reserved 22`,
  "iam.app.v1.APIConfig":
    "1 client_id: string · 3 auth_method_type: iam.app.v1.APIAuthMethodType · reserved 2",
  "iam.app.v1.SAMLConfig":
    "1 metadata_xml: bytes (oneof metadata) · 2 metadata_url: string (oneof metadata) · reserved 3",
  "iam.app.v1.AppQuery": "1 name_query: iam.app.v1.AppNameQuery (oneof query)",
  "iam.app.v1.AppNameQuery": "1 name: string · 2 method: iam.v1.TextQueryMethod",
  "iam.app.v1.AppState": "0 APP_STATE_UNSPECIFIED · 1 APP_STATE_ACTIVE · 2 APP_STATE_INACTIVE",
  "iam.user.v1.User": `1 id: string · 2 details: iam.v1.ObjectDetails ·
    3 state: iam.user.v1.UserState · 4 user_name: string · 5 login_names: repeated string ·
    6 preferred_login_name: string · 7 human: iam.user.v1.Human (oneof type) ·
    8 machine: iam.user.v1.Machine (oneof type)`,
  "iam.user.v1.Human": `1 profile: iam.user.v1.Profile · 2 email: iam.user.v1.Email ·
    3 phone: iam.user.v1.Phone · 4 password_changed: google.protobuf.Timestamp`,
  "iam.user.v1.Machine": `1 name: string · 2 description: string · 3 has_secret: bool ·
    4 access_token_type: iam.user.v1.AccessTokenType`,
  "iam.user.v1.Profile": `1 first_name: string · 2 last_name: string · 3 nick_name: string ·
    4 display_name: string · 5 preferred_language: string · 6 gender: iam.user.v1.Gender ·
    7 avatar_url: string`,
  "iam.user.v1.Email": "1 email: string · 2 is_email_verified: bool",
  "iam.user.v1.Phone": "1 phone: string · 2 is_phone_verified: bool",
  "iam.user.v1.UserState": `0 USER_STATE_UNSPECIFIED · 1 USER_STATE_ACTIVE · 2 USER_STATE_INACTIVE ·
    3 USER_STATE_DELETED · 4 USER_STATE_LOCKED · 5 USER_STATE_SUSPEND · 6 USER_STATE_INITIAL`,
  "iam.user.v1.Type": "0 TYPE_UNSPECIFIED · 1 TYPE_HUMAN · 2 TYPE_MACHINE",
  "iam.project.v1.Project": `1 id: string · 2 details: iam.v1.ObjectDetails · 3 name: string ·
    4 state: iam.project.v1.ProjectState · 5 project_role_assertion: bool ·
    6 project_role_check: bool · 7 has_project_check: bool ·
    8 private_labeling_setting: iam.project.v1.PrivateLabelingSetting`,
  "iam.project.v1.ProjectQuery": `1 name_query: iam.project.v1.ProjectNameQuery (oneof query) ·
    2 project_resource_owner_query: iam.project.v1.ProjectResourceOwnerQuery (oneof query)`,
  "iam.project.v1.ProjectNameQuery": "1 name: string · 2 method: iam.v1.TextQueryMethod",
  "iam.project.v1.ProjectResourceOwnerQuery": "1 resource_owner: string",
  "iam.project.v1.ProjectState":
    "0 PROJECT_STATE_UNSPECIFIED · 1 PROJECT_STATE_ACTIVE · 2 PROJECT_STATE_INACTIVE",
  "iam.user.v1.SearchQuery": `1 user_name_query: iam.user.v1.UserNameQuery (oneof query) ·
    2 first_name_query: iam.user.v1.FirstNameQuery (oneof query) ·
    3 last_name_query: iam.user.v1.LastNameQuery (oneof query) ·
    4 nick_name_query: iam.user.v1.NickNameQuery (oneof query) ·
    5 display_name_query: iam.user.v1.DisplayNameQuery (oneof query) ·
    6 email_query: iam.user.v1.EmailQuery (oneof query) ·
    7 state_query: iam.user.v1.StateQuery (oneof query) ·
    8 type_query: iam.user.v1.TypeQuery (oneof query) ·
    9 login_name_query: iam.user.v1.LoginNameQuery (oneof query) ·
    10 in_user_ids_query: iam.user.v1.InUserIDQuery (oneof query) ·
    11 or_query: iam.user.v1.OrQuery (oneof query) ·
    12 and_query: iam.user.v1.AndQuery (oneof query) ·
    13 not_query: iam.user.v1.NotQuery (oneof query) ·
    14 in_user_emails_query: iam.user.v1.InUserEmailsQuery (oneof query)`,
  "iam.user.v1.UserNameQuery": "1 user_name: string · 2 method: iam.v1.TextQueryMethod",
  "iam.user.v1.FirstNameQuery": "1 first_name: string · 2 method: iam.v1.TextQueryMethod",
  "iam.user.v1.LastNameQuery": "1 last_name: string · 2 method: iam.v1.TextQueryMethod",
  "iam.user.v1.NickNameQuery": "1 nick_name: string · 2 method: iam.v1.TextQueryMethod",
  "iam.user.v1.DisplayNameQuery": "1 display_name: string · 2 method: iam.v1.TextQueryMethod",
  "iam.user.v1.EmailQuery": "1 email_address: string · 2 method: iam.v1.TextQueryMethod",
  "iam.user.v1.StateQuery": "1 state: iam.user.v1.UserState",
  "iam.user.v1.TypeQuery": "1 type: iam.user.v1.Type",
  "iam.user.v1.LoginNameQuery": "1 login_name: string · 2 method: iam.v1.TextQueryMethod",
  "iam.user.v1.InUserIDQuery": "1 user_ids: repeated string",
  "iam.user.v1.OrQuery": "1 queries: repeated iam.user.v1.SearchQuery",
  "iam.user.v1.AndQuery": "1 queries: repeated iam.user.v1.SearchQuery",
  "iam.user.v1.NotQuery": "1 query: iam.user.v1.SearchQuery",
  "iam.user.v1.InUserEmailsQuery": "1 user_emails: repeated string",
  "iam.user.v1.UserFieldName": `0 USER_FIELD_NAME_UNSPECIFIED · 1 USER_FIELD_NAME_USER_NAME ·
    2 USER_FIELD_NAME_FIRST_NAME · 3 USER_FIELD_NAME_LAST_NAME · 4 USER_FIELD_NAME_NICK_NAME ·
    5 USER_FIELD_NAME_DISPLAY_NAME · 6 USER_FIELD_NAME_EMAIL · 7 USER_FIELD_NAME_STATE ·
    8 USER_FIELD_NAME_TYPE · 9 USER_FIELD_NAME_CREATION_DATE`,
};
