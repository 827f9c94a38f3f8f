SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.memory_agent_has_tail() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO memory_agent_tail (agent_id) VALUES (NEW.id);
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_is_ours(row_xmin xid) RETURNS boolean
    LANGUAGE sql
    AS $$
    SELECT CASE WHEN ahead < 0 THEN false
        ELSE pg_xact_status((mine + ahead)::text::xid8) = 'in progress' END
    FROM (SELECT pg_current_xact_id()::text::bigint AS mine) m
    CROSS JOIN LATERAL (
        SELECT (row_xmin::text::bigint - mine % 4294967296 + 6442450944) % 4294967296 - 2147483648
            AS ahead) a
$$;
CREATE FUNCTION public.memory_link_whole() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM added l
        JOIN memory_record s ON s.agent_id = l.agent_id AND s.id = l.source_id
        JOIN memory_record t ON t.agent_id = l.agent_id AND t.id = l.target_id
        WHERE t.seq >= s.seq OR NOT memory_is_ours(s.xmin)
    ) THEN
        RAISE EXCEPTION 'links come with their record, and lead to older ones'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'link_whole';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_producer_frozen() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (NEW.id, NEW.agent_id, NEW.role, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.agent_id, OLD.role, OLD.created_at) THEN
        RAISE EXCEPTION 'a producer keeps its agent and its role'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'producer_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.memory_record_has_standing() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- As the row is at the end of the transaction, not as it was when this was put off.
    IF EXISTS (SELECT 1 FROM memory_record r
        LEFT JOIN memory_standing s ON s.agent_id = r.agent_id AND s.record_id = r.id
        WHERE r.agent_id = NEW.agent_id AND r.id = NEW.id
          AND (r.purged_at IS NULL) <> (s.record_id IS NOT NULL)) THEN
        RAISE EXCEPTION 'a live record of a strategy tier has a standing, an erased one has none'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'record_has_standing';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_record_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL
       AND NEW.content = '' AND NEW.metadata = '{}'::jsonb AND NEW.tags = '{}'
       AND NEW.content_salt IS NULL
       AND (NEW.id, NEW.agent_id, NEW.seq, NEW.type, NEW.scope, NEW.created_at, NEW.content_digest)
         = (OLD.id, OLD.agent_id, OLD.seq, OLD.type, OLD.scope, OLD.created_at, OLD.content_digest)
       AND (NEW.producer_id, NEW.run_id, NEW.timeframe, NEW.originals_hash, NEW.stale_after,
            NEW.expiry_policy, NEW.imported_at) IS NOT DISTINCT FROM
           (OLD.producer_id, OLD.run_id, OLD.timeframe, OLD.originals_hash, OLD.stale_after,
            OLD.expiry_policy, OLD.imported_at)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a record never changes after the write'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'record_immutable';
END $$;
CREATE FUNCTION public.memory_record_needs_target() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_target
                   WHERE agent_id = NEW.agent_id AND record_id = NEW.id) THEN
        RAISE EXCEPTION 'a record of scope instruments needs a target'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'record_needs_target';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_record_run() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_run WHERE agent_id = NEW.agent_id AND id = NEW.run_id
                   AND producer_id = NEW.producer_id) THEN
        RAISE EXCEPTION 'a record is written in a run of its producer'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'record_run_of_producer';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_run_frozen() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF OLD.status <> 'running' OR
       (NEW.id, NEW.agent_id, NEW.producer_id, NEW.schedule, NEW.evidence_boundary,
        NEW.started_at, NEW.implicit, NEW.bound_token_id) IS DISTINCT FROM
       (OLD.id, OLD.agent_id, OLD.producer_id, OLD.schedule, OLD.evidence_boundary,
        OLD.started_at, OLD.implicit, OLD.bound_token_id)
    THEN
        RAISE EXCEPTION 'a run keeps what it began with, and ends once'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'run_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.memory_searchable(content text, tags text[], instruments text[], symbol text, strategy_type text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT translate(concat_ws(' ', content, array_to_string(tags, ' '),
        array_to_string(instruments, ' '),
        CASE WHEN symbol = ANY (instruments) THEN NULL ELSE symbol END, strategy_type), '/', ' ')
$$;
CREATE FUNCTION public.memory_side_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'targets and links never change after the write'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;
CREATE FUNCTION public.memory_standing_change_rules() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        RAISE EXCEPTION 'a ledger never changes'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'standing_change_immutable';
    END IF;
    IF NEW.revision > 1 AND NOT EXISTS (
            SELECT 1 FROM memory_standing_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.revision = NEW.revision - 1
            AND c.after = NEW.before) THEN
        RAISE EXCEPTION 'a line of a ledger begins where the one before ended'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_change_follows';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.memory_standing_frozen() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.revision <> OLD.revision + 1 OR
       (NEW.record_id, NEW.agent_id, NEW.type, NEW.symbol_id, NEW.strategy_type, NEW.outcome,
        NEW.config, NEW.config_hash, NEW.metrics, NEW.source_node_uuid, NEW.author_id,
        NEW.created_at) IS DISTINCT FROM
       (OLD.record_id, OLD.agent_id, OLD.type, OLD.symbol_id, OLD.strategy_type, OLD.outcome,
        OLD.config, OLD.config_hash, OLD.metrics, OLD.source_node_uuid, OLD.author_id,
        OLD.created_at)
    THEN
        RAISE EXCEPTION 'a standing keeps what it was made with, and moves by one revision'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'standing_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.memory_standing_ledgered() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    told jsonb;
    said boolean;
BEGIN
    IF TG_OP = 'DELETE' THEN
        said := EXISTS (SELECT 1 FROM memory_standing_change c WHERE c.agent_id = OLD.agent_id
                AND c.record_id = OLD.record_id AND c.revision = OLD.revision + 1
                AND c.event = 'purged')
            AND EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = OLD.agent_id
                AND r.id = OLD.record_id AND r.purged_at IS NOT NULL);
    ELSE
        SELECT c.after INTO told FROM memory_standing_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.revision = NEW.revision;
        said := (NEW.tags, NEW.confidence, NEW.validated_count, NEW.relevance_score,
                 NEW.visibility, NEW.community_confirmations, NEW.expires_at, NEW.merged_into_id)
            IS NOT DISTINCT FROM
            (ARRAY(SELECT t.tag FROM jsonb_array_elements_text(told -> 'tags')
                   WITH ORDINALITY AS t(tag, ord) ORDER BY t.ord),
             (told ->> 'confidence')::numeric, (told ->> 'validated_count')::int,
             (told ->> 'relevance_score')::numeric, told ->> 'visibility',
             (told ->> 'community_confirmations')::int, (told ->> 'expires_at')::timestamptz,
             (told ->> 'merged_into')::uuid);
    END IF;
    IF NOT coalesce(said, false) THEN
        RAISE EXCEPTION 'a standing moved and its ledger does not say so'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_in_ledger';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_standing_matches() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = NEW.agent_id
            AND r.id = NEW.record_id AND r.type = NEW.type AND r.created_at = NEW.created_at
            AND r.purged_at IS NULL) THEN
        RAISE EXCEPTION 'a standing has the type and time of its record'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_matches_record';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_standing_tags() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM memory_tag WHERE agent_id = OLD.agent_id AND record_id = OLD.record_id;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    INSERT INTO memory_tag (agent_id, record_id, tag, type, symbol, strategy_type, relevance,
        confidence, created_at, expires_at)
    SELECT NEW.agent_id, NEW.record_id, t.tag, NEW.type, coalesce(NEW.symbol_id, ''),
        coalesce(NEW.strategy_type, ''), NEW.relevance_score, NEW.confidence, NEW.created_at,
        coalesce(NEW.expires_at, 'infinity')
    FROM unnest(CASE WHEN NEW.tags = '{}' THEN ARRAY[''] ELSE NEW.tags END) AS t(tag)
    WHERE NEW.merged_into_id IS NULL;
    RETURN NEW;
END $$;
CREATE FUNCTION public.memory_target_whole() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM added t JOIN memory_record r ON r.agent_id = t.agent_id AND r.id = t.record_id
        WHERE (t.type, t.created_at) <> (r.type, r.created_at)
           OR (t.producer_id, t.originals_hash) IS DISTINCT FROM (r.producer_id, r.originals_hash)
           OR NOT memory_is_ours(r.xmin)
    ) THEN
        RAISE EXCEPTION 'targets come with their record, and say of it what it says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'target_whole';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_token_frozen() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (NEW.id, NEW.agent_id, NEW.producer_id, NEW.run_id, NEW.key, NEW.secret_sha256)
       IS DISTINCT FROM
       (OLD.id, OLD.agent_id, OLD.producer_id, OLD.run_id, OLD.key, OLD.secret_sha256)
       OR (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at) THEN
        RAISE EXCEPTION 'a token stays whose it is, and is revoked for good'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'token_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.trading_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: its rows are evidence', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'indicator_run_immutable',
          TABLE = TG_TABLE_NAME;
END $$;
CREATE TABLE public.auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);
ALTER TABLE public.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE public.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);
ALTER TABLE public.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_user (
    id integer NOT NULL,
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    username character varying(150) NOT NULL,
    first_name character varying(150) NOT NULL,
    last_name character varying(150) NOT NULL,
    email character varying(254) NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL
);
CREATE TABLE public.auth_user_groups (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    group_id integer NOT NULL
);
ALTER TABLE public.auth_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.auth_user ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_user_user_permissions (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE public.auth_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.axes_accessattempt (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    get_data text NOT NULL,
    post_data text NOT NULL,
    failures_since_start integer NOT NULL,
    CONSTRAINT axes_accessattempt_failures_since_start_check CHECK ((failures_since_start >= 0))
);
ALTER TABLE public.axes_accessattempt ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accessattempt_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.axes_accessattemptexpiration (
    access_attempt_id integer NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.axes_accessfailurelog (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    locked_out boolean NOT NULL
);
ALTER TABLE public.axes_accessfailurelog ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accessfailurelog_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.axes_accesslog (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    logout_time timestamp with time zone,
    session_hash character varying(64) NOT NULL
);
ALTER TABLE public.axes_accesslog ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accesslog_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_admin_log (
    id integer NOT NULL,
    action_time timestamp with time zone NOT NULL,
    object_id text,
    object_repr character varying(200) NOT NULL,
    action_flag smallint NOT NULL,
    change_message text NOT NULL,
    content_type_id integer,
    user_id integer NOT NULL,
    CONSTRAINT django_admin_log_action_flag_check CHECK ((action_flag >= 0))
);
ALTER TABLE public.django_admin_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_admin_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);
ALTER TABLE public.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);
ALTER TABLE public.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_q_ormq (
    id integer NOT NULL,
    key character varying(100) NOT NULL,
    payload text NOT NULL,
    lock timestamp with time zone
);
ALTER TABLE public.django_q_ormq ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_q_ormq_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_q_schedule (
    id integer NOT NULL,
    func character varying(256) NOT NULL,
    hook character varying(256),
    args text,
    kwargs text,
    schedule_type character varying(2) NOT NULL,
    repeats integer NOT NULL,
    next_run timestamp with time zone,
    task character varying(100),
    name character varying(100),
    minutes smallint,
    cron character varying(100),
    cluster character varying(100),
    intended_date_kwarg character varying(100),
    CONSTRAINT django_q_schedule_minutes_check CHECK ((minutes >= 0))
);
ALTER TABLE public.django_q_schedule ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_q_schedule_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_q_task (
    name character varying(100) NOT NULL,
    func character varying(256) NOT NULL,
    hook character varying(256),
    args text,
    kwargs text,
    result text,
    started timestamp with time zone NOT NULL,
    stopped timestamp with time zone NOT NULL,
    success boolean NOT NULL,
    id character varying(32) NOT NULL,
    "group" character varying(100),
    attempt_count integer NOT NULL,
    cluster character varying(100)
);
CREATE TABLE public.django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);
CREATE TABLE public.memory_agent (
    id uuid NOT NULL,
    name character varying(80) NOT NULL,
    expiry_policy character varying(40) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    owner_id integer NOT NULL,
    trading_may_search boolean DEFAULT false NOT NULL,
    CONSTRAINT agent_name_not_empty CHECK ((NOT ((name)::text = ''::text))),
    CONSTRAINT agent_policy_stampable CHECK (((expiry_policy)::text = ANY ((ARRAY['analysis_schedule_v2'::character varying, 'analysis_schedule_v3'::character varying])::text[])))
);
CREATE TABLE public.memory_agent_tail (
    agent_id uuid NOT NULL,
    last_seq bigint DEFAULT 0 NOT NULL,
    erasures bigint DEFAULT 0 NOT NULL,
    text_length bigint DEFAULT 0 NOT NULL,
    text_records bigint DEFAULT 0 NOT NULL,
    CONSTRAINT agent_tail_not_negative CHECK (((erasures >= 0) AND (last_seq >= 0))),
    CONSTRAINT agent_tail_text_not_negative CHECK (((text_length >= 0) AND (text_records >= 0)))
)
WITH (fillfactor='50');
CREATE TABLE public.memory_head (
    instrument_id character varying(64) NOT NULL,
    type character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    stale_after timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    producer_id uuid NOT NULL,
    record_id uuid NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE public.memory_instrument (
    id character varying(64) NOT NULL,
    kind character varying(10) NOT NULL,
    dex character varying(32) NOT NULL,
    asset_id integer,
    sz_decimals smallint NOT NULL,
    max_leverage smallint,
    only_isolated boolean NOT NULL,
    is_active boolean NOT NULL,
    source character varying(40) NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT instrument_kind_known CHECK (((kind)::text = ANY ((ARRAY['perpetual'::character varying, 'spot'::character varying])::text[]))),
    CONSTRAINT instrument_named CHECK ((NOT ((id)::text = ''::text))),
    CONSTRAINT memory_instrument_asset_id_check CHECK ((asset_id >= 0)),
    CONSTRAINT memory_instrument_max_leverage_check CHECK ((max_leverage >= 0)),
    CONSTRAINT memory_instrument_sz_decimals_check CHECK ((sz_decimals >= 0))
);
CREATE TABLE public.memory_link (
    ord smallint NOT NULL,
    link_type character varying(12) NOT NULL,
    agent_id uuid NOT NULL,
    source_id uuid NOT NULL,
    target_id uuid NOT NULL,
    CONSTRAINT link_not_self CHECK ((NOT (source_id = target_id))),
    CONSTRAINT link_type_known CHECK (((link_type)::text = ANY ((ARRAY['evidence'::character varying, 'corrects'::character varying, 'supports'::character varying, 'contradicts'::character varying, 'derived_from'::character varying, 'outcome_of'::character varying])::text[])))
);
CREATE TABLE public.memory_producer (
    id uuid NOT NULL,
    role character varying(10) NOT NULL,
    name character varying(80) NOT NULL,
    schedule character varying(4),
    created_at timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    CONSTRAINT producer_named CHECK ((NOT ((name)::text = ''::text))),
    CONSTRAINT producer_role_known CHECK (((role)::text = ANY ((ARRAY['analysis'::character varying, 'trading'::character varying, 'review'::character varying, 'autopilot'::character varying])::text[]))),
    CONSTRAINT producer_schedule_known CHECK (((schedule IS NULL) OR ((schedule)::text = ANY ((ARRAY['5m'::character varying, '15m'::character varying, '30m'::character varying, '1h'::character varying, '2h'::character varying, '4h'::character varying, '8h'::character varying, '12h'::character varying, '1d'::character varying])::text[]))))
);
CREATE TABLE public.memory_producer_enablement (
    enabled_at timestamp with time zone NOT NULL,
    disabled_at timestamp with time zone,
    agent_id uuid NOT NULL,
    producer_id uuid NOT NULL,
    CONSTRAINT enablement_period_forward CHECK (((disabled_at IS NULL) OR (disabled_at > enabled_at)))
);
CREATE TABLE public.memory_record (
    id uuid NOT NULL,
    seq bigint NOT NULL,
    type character varying(64) NOT NULL,
    scope character varying(11) NOT NULL,
    timeframe character varying(4),
    content text NOT NULL,
    metadata jsonb NOT NULL,
    tags text[] NOT NULL,
    originals_hash bytea,
    created_at timestamp with time zone NOT NULL,
    stale_after timestamp with time zone,
    expiry_policy character varying(40),
    content_digest bytea NOT NULL,
    content_salt bytea,
    imported_at timestamp with time zone,
    purged_at timestamp with time zone,
    agent_id uuid NOT NULL,
    producer_id uuid,
    run_id uuid,
    CONSTRAINT record_content_unless_purged CHECK (((NOT (content = ''::text)) OR (NOT (purged_at IS NULL)))),
    CONSTRAINT record_digest_is_sha256 CHECK ((length(content_digest) = 32)),
    CONSTRAINT record_has_provenance CHECK (((imported_at IS NOT NULL) OR ((producer_id IS NOT NULL) AND (run_id IS NOT NULL)))),
    CONSTRAINT record_metadata_is_object CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT record_originals_is_sha256 CHECK (((originals_hash IS NULL) OR (length(originals_hash) = 32))),
    CONSTRAINT record_salt_unless_purged CHECK ((((content_salt IS NOT NULL) AND (purged_at IS NULL)) OR ((content_salt IS NULL) AND (purged_at IS NOT NULL)))),
    CONSTRAINT record_scope_known CHECK (((scope)::text = ANY ((ARRAY['agent'::character varying, 'instruments'::character varying])::text[]))),
    CONSTRAINT record_type_valid CHECK (((type)::text ~ '^[a-z][a-z0-9_]{0,63}$'::text))
);
CREATE TABLE public.memory_run (
    id uuid NOT NULL,
    schedule character varying(4),
    evidence_boundary timestamp with time zone,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    status character varying(10) NOT NULL,
    error text NOT NULL,
    implicit boolean NOT NULL,
    agent_id uuid NOT NULL,
    producer_id uuid NOT NULL,
    bound_token_id uuid,
    CONSTRAINT run_boundary_matches_schedule CHECK ((((evidence_boundary IS NULL) AND (schedule IS NULL)) OR ((evidence_boundary IS NOT NULL) AND (evidence_boundary <= started_at) AND ((schedule)::text = ANY ((ARRAY['5m'::character varying, '15m'::character varying, '30m'::character varying, '1h'::character varying, '2h'::character varying, '4h'::character varying, '8h'::character varying, '12h'::character varying, '1d'::character varying])::text[])) AND (schedule IS NOT NULL)))),
    CONSTRAINT run_end_matches_status CHECK ((((ended_at IS NULL) AND ((status)::text = 'running'::text)) OR ((ended_at IS NOT NULL) AND ((status)::text = ANY ((ARRAY['succeeded'::character varying, 'failed'::character varying])::text[])))))
);
CREATE TABLE public.memory_selection (
    id uuid NOT NULL,
    selected_at timestamp with time zone NOT NULL,
    deselected_at timestamp with time zone,
    agent_id uuid NOT NULL,
    instrument_id character varying(64) NOT NULL,
    CONSTRAINT selection_period_forward CHECK (((deselected_at IS NULL) OR (deselected_at > selected_at)))
);
CREATE TABLE public.memory_standing (
    record_id uuid NOT NULL,
    type character varying(64) NOT NULL,
    strategy_type character varying(20),
    outcome character varying(7),
    tags text[] NOT NULL,
    confidence numeric(5,4) NOT NULL,
    validated_count integer NOT NULL,
    relevance_score numeric(5,4) NOT NULL,
    config jsonb,
    config_hash bytea,
    metrics jsonb NOT NULL,
    visibility character varying(9) NOT NULL,
    source_node_uuid uuid,
    community_confirmations integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    revision integer NOT NULL,
    agent_id uuid NOT NULL,
    author_id integer,
    merged_into_id uuid,
    symbol_id character varying(64),
    CONSTRAINT standing_confidence_in_range CHECK (((confidence >= (0)::numeric) AND (confidence <= (1)::numeric))),
    CONSTRAINT standing_config_has_its_hash CHECK ((((config IS NULL) AND (config_hash IS NULL)) OR ((config IS NOT NULL) AND (config_hash IS NOT NULL) AND (length(config_hash) = 32)))),
    CONSTRAINT standing_counts_not_negative CHECK (((community_confirmations >= 0) AND (revision >= 1))),
    CONSTRAINT standing_not_merged_into_itself CHECK (((merged_into_id IS NULL) OR (NOT ((merged_into_id = record_id) AND (merged_into_id IS NOT NULL))))),
    CONSTRAINT standing_outcome_known CHECK (((outcome IS NULL) OR ((outcome)::text = ANY ((ARRAY['success'::character varying, 'failure'::character varying])::text[])))),
    CONSTRAINT standing_relevance_in_range CHECK (((relevance_score >= (0)::numeric) AND (relevance_score <= (1)::numeric))),
    CONSTRAINT standing_rule_is_cross_asset CHECK (((NOT ((type)::text = 'rule'::text)) OR (symbol_id IS NULL))),
    CONSTRAINT standing_strategy_type_known CHECK (((strategy_type IS NULL) OR ((strategy_type)::text = ANY ((ARRAY['breakout'::character varying, 'mean_reversion'::character varying, 'trend_following'::character varying, 'scalping'::character varying, 'momentum'::character varying])::text[])))),
    CONSTRAINT standing_tags_not_empty CHECK ((NOT (tags @> ARRAY[''::text]))),
    CONSTRAINT standing_type_is_a_tier CHECK (((type)::text = ANY ((ARRAY['rule'::character varying, 'strategy_insight'::character varying, 'optimization'::character varying])::text[]))),
    CONSTRAINT standing_visibility_known CHECK (((visibility)::text = ANY ((ARRAY['private'::character varying, 'community'::character varying])::text[])))
);
CREATE TABLE public.memory_standing_change (
    revision integer NOT NULL,
    event character varying(32) NOT NULL,
    before jsonb,
    after jsonb,
    cause_kind character varying(32) NOT NULL,
    cause_id character varying(64) NOT NULL,
    detail jsonb NOT NULL,
    at timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    record_id uuid NOT NULL,
    CONSTRAINT standing_change_begins_with_nothing CHECK ((((before IS NULL) AND (revision = 1)) OR ((before IS NOT NULL) AND (revision > 1)))),
    CONSTRAINT standing_change_ends_when_purged CHECK ((((after IS NULL) AND ((event)::text = 'purged'::text)) OR ((NOT ((event)::text = 'purged'::text)) AND (after IS NOT NULL)))),
    CONSTRAINT standing_change_named CHECK ((((cause_kind)::text ~ '^[a-z][a-z_]{0,31}$'::text) AND ((event)::text ~ '^[a-z][a-z_]{0,31}$'::text)))
);
CREATE TABLE public.memory_tag (
    tag text NOT NULL,
    type character varying(64) NOT NULL,
    symbol character varying(64) NOT NULL,
    strategy_type character varying(20) NOT NULL,
    relevance numeric(5,4) NOT NULL,
    confidence numeric(5,4) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    record_id uuid NOT NULL
);
CREATE TABLE public.memory_target (
    ord smallint NOT NULL,
    scope character varying(11) DEFAULT 'instruments'::character varying NOT NULL,
    type character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    originals_hash bytea,
    agent_id uuid NOT NULL,
    instrument_id character varying(64) NOT NULL,
    producer_id uuid,
    record_id uuid NOT NULL,
    CONSTRAINT target_scope_instruments CHECK (((scope)::text = 'instruments'::text))
);
CREATE TABLE public.memory_term (
    agent_id uuid NOT NULL,
    lexeme text NOT NULL COLLATE pg_catalog."C",
    record_id uuid NOT NULL,
    tf smallint NOT NULL,
    len integer NOT NULL,
    CONSTRAINT term_frequency_positive CHECK ((tf > 0)),
    CONSTRAINT term_length_covers_frequency CHECK ((len >= tf))
);
CREATE TABLE public.memory_token (
    id uuid NOT NULL,
    key character varying(32) NOT NULL,
    secret_sha256 bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    agent_id uuid NOT NULL,
    producer_id uuid NOT NULL,
    run_id uuid,
    CONSTRAINT token_of_run_expires CHECK (((run_id IS NULL) OR (expires_at IS NOT NULL)))
);
CREATE TABLE public.trading_candle (
    timeframe character varying(4) NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    open double precision NOT NULL,
    high double precision NOT NULL,
    low double precision NOT NULL,
    close double precision NOT NULL,
    volume double precision NOT NULL,
    source character varying(40) NOT NULL,
    imported_at timestamp with time zone NOT NULL,
    instrument_id character varying(64) NOT NULL,
    CONSTRAINT candle_high_finite CHECK ((high < 'Infinity'::double precision)),
    CONSTRAINT candle_high_highest CHECK (((high >= open) AND (high >= close))),
    CONSTRAINT candle_low_lowest CHECK (((low <= open) AND (low <= close))),
    CONSTRAINT candle_price_positive CHECK ((low > (0.0)::double precision)),
    CONSTRAINT candle_source_named CHECK ((NOT ((source)::text = ''::text))),
    CONSTRAINT candle_timeframe_known CHECK (((timeframe)::text = ANY ((ARRAY['1m'::character varying, '3m'::character varying, '5m'::character varying, '15m'::character varying, '30m'::character varying, '1h'::character varying, '2h'::character varying, '4h'::character varying, '8h'::character varying, '12h'::character varying, '1d'::character varying, '3d'::character varying, '1w'::character varying])::text[]))),
    CONSTRAINT candle_volume_valid CHECK (((volume >= (0.0)::double precision) AND (volume < 'Infinity'::double precision)))
);
CREATE TABLE public.trading_funding_rate (
    at timestamp with time zone NOT NULL,
    rate double precision NOT NULL,
    instrument_id character varying(64) NOT NULL,
    CONSTRAINT funding_rate_finite CHECK (((rate > '-Infinity'::double precision) AND (rate < 'Infinity'::double precision)))
);
CREATE TABLE public.trading_indicator_run (
    id uuid NOT NULL,
    timeframe character varying(4) NOT NULL,
    computed_at timestamp with time zone NOT NULL,
    engine character varying(40) NOT NULL,
    indicators jsonb NOT NULL,
    bars jsonb NOT NULL,
    "values" jsonb NOT NULL,
    data_source character varying(120) NOT NULL,
    agent_id uuid NOT NULL,
    instrument_id character varying(64) NOT NULL,
    run_id uuid,
    CONSTRAINT indicator_run_engine_named CHECK ((NOT ((engine)::text = ''::text))),
    CONSTRAINT indicator_run_timeframe_known CHECK (((timeframe)::text = ANY ((ARRAY['1m'::character varying, '3m'::character varying, '5m'::character varying, '15m'::character varying, '30m'::character varying, '1h'::character varying, '2h'::character varying, '4h'::character varying, '8h'::character varying, '12h'::character varying, '1d'::character varying, '3d'::character varying, '1w'::character varying])::text[])))
);
CREATE TABLE public.trading_spot_pair (
    instrument_id character varying(64) NOT NULL,
    base character varying(64) NOT NULL,
    quote character varying(64) NOT NULL,
    CONSTRAINT spot_pair_tokens_named CHECK (((NOT ((base)::text = ''::text)) AND (NOT ((quote)::text = ''::text))))
);
INSERT INTO public.auth_permission VALUES
	(1, 'Can add agent', 1, 'add_agent'),
	(2, 'Can change agent', 1, 'change_agent'),
	(3, 'Can delete agent', 1, 'delete_agent'),
	(4, 'Can view agent', 1, 'view_agent'),
	(5, 'Can add instrument', 4, 'add_instrument'),
	(6, 'Can change instrument', 4, 'change_instrument'),
	(7, 'Can delete instrument', 4, 'delete_instrument'),
	(8, 'Can view instrument', 4, 'view_instrument'),
	(9, 'Can add producer', 6, 'add_producer'),
	(10, 'Can change producer', 6, 'change_producer'),
	(11, 'Can delete producer', 6, 'delete_producer'),
	(12, 'Can view producer', 6, 'view_producer'),
	(13, 'Can add producer enablement', 7, 'add_producerenablement'),
	(14, 'Can change producer enablement', 7, 'change_producerenablement'),
	(15, 'Can delete producer enablement', 7, 'delete_producerenablement'),
	(16, 'Can view producer enablement', 7, 'view_producerenablement'),
	(17, 'Can add record', 8, 'add_record'),
	(18, 'Can change record', 8, 'change_record'),
	(19, 'Can delete record', 8, 'delete_record'),
	(20, 'Can view record', 8, 'view_record'),
	(21, 'Can add head', 3, 'add_head'),
	(22, 'Can change head', 3, 'change_head'),
	(23, 'Can delete head', 3, 'delete_head'),
	(24, 'Can view head', 3, 'view_head'),
	(25, 'Can add record link', 9, 'add_recordlink'),
	(26, 'Can change record link', 9, 'change_recordlink'),
	(27, 'Can delete record link', 9, 'delete_recordlink'),
	(28, 'Can view record link', 9, 'view_recordlink'),
	(29, 'Can add record target', 10, 'add_recordtarget'),
	(30, 'Can change record target', 10, 'change_recordtarget'),
	(31, 'Can delete record target', 10, 'delete_recordtarget'),
	(32, 'Can view record target', 10, 'view_recordtarget'),
	(33, 'Can add run', 11, 'add_run'),
	(34, 'Can change run', 11, 'change_run'),
	(35, 'Can delete run', 11, 'delete_run'),
	(36, 'Can view run', 11, 'view_run'),
	(37, 'Can add selection', 12, 'add_selection'),
	(38, 'Can change selection', 12, 'change_selection'),
	(39, 'Can delete selection', 12, 'delete_selection'),
	(40, 'Can view selection', 12, 'view_selection'),
	(41, 'Can add token', 16, 'add_token'),
	(42, 'Can change token', 16, 'change_token'),
	(43, 'Can delete token', 16, 'delete_token'),
	(44, 'Can view token', 16, 'view_token'),
	(45, 'Can add agent tail', 2, 'add_agenttail'),
	(46, 'Can change agent tail', 2, 'change_agenttail'),
	(47, 'Can delete agent tail', 2, 'delete_agenttail'),
	(48, 'Can view agent tail', 2, 'view_agenttail'),
	(49, 'Can add posting', 5, 'add_posting'),
	(50, 'Can change posting', 5, 'change_posting');
INSERT INTO public.auth_permission VALUES
	(51, 'Can delete posting', 5, 'delete_posting'),
	(52, 'Can view posting', 5, 'view_posting'),
	(53, 'Can add standing', 13, 'add_standing'),
	(54, 'Can change standing', 13, 'change_standing'),
	(55, 'Can delete standing', 13, 'delete_standing'),
	(56, 'Can view standing', 13, 'view_standing'),
	(57, 'Can add standing change', 14, 'add_standingchange'),
	(58, 'Can change standing change', 14, 'change_standingchange'),
	(59, 'Can delete standing change', 14, 'delete_standingchange'),
	(60, 'Can view standing change', 14, 'view_standingchange'),
	(61, 'Can add tag', 15, 'add_tag'),
	(62, 'Can change tag', 15, 'change_tag'),
	(63, 'Can delete tag', 15, 'delete_tag'),
	(64, 'Can view tag', 15, 'view_tag'),
	(65, 'Can add spot pair', 20, 'add_spotpair'),
	(66, 'Can change spot pair', 20, 'change_spotpair'),
	(67, 'Can delete spot pair', 20, 'delete_spotpair'),
	(68, 'Can view spot pair', 20, 'view_spotpair'),
	(69, 'Can add candle', 17, 'add_candle'),
	(70, 'Can change candle', 17, 'change_candle'),
	(71, 'Can delete candle', 17, 'delete_candle'),
	(72, 'Can view candle', 17, 'view_candle'),
	(73, 'Can add funding rate', 18, 'add_fundingrate'),
	(74, 'Can change funding rate', 18, 'change_fundingrate'),
	(75, 'Can delete funding rate', 18, 'delete_fundingrate'),
	(76, 'Can view funding rate', 18, 'view_fundingrate'),
	(77, 'Can add indicator run', 19, 'add_indicatorrun'),
	(78, 'Can change indicator run', 19, 'change_indicatorrun'),
	(79, 'Can delete indicator run', 19, 'delete_indicatorrun'),
	(80, 'Can view indicator run', 19, 'view_indicatorrun'),
	(81, 'Can add log entry', 21, 'add_logentry'),
	(82, 'Can change log entry', 21, 'change_logentry'),
	(83, 'Can delete log entry', 21, 'delete_logentry'),
	(84, 'Can view log entry', 21, 'view_logentry'),
	(85, 'Can add permission', 23, 'add_permission'),
	(86, 'Can change permission', 23, 'change_permission'),
	(87, 'Can delete permission', 23, 'delete_permission'),
	(88, 'Can view permission', 23, 'view_permission'),
	(89, 'Can add group', 22, 'add_group'),
	(90, 'Can change group', 22, 'change_group'),
	(91, 'Can delete group', 22, 'delete_group'),
	(92, 'Can view group', 22, 'view_group'),
	(93, 'Can add user', 24, 'add_user'),
	(94, 'Can change user', 24, 'change_user'),
	(95, 'Can delete user', 24, 'delete_user'),
	(96, 'Can view user', 24, 'view_user'),
	(97, 'Can add content type', 25, 'add_contenttype'),
	(98, 'Can change content type', 25, 'change_contenttype'),
	(99, 'Can delete content type', 25, 'delete_contenttype'),
	(100, 'Can view content type', 25, 'view_contenttype');
INSERT INTO public.auth_permission VALUES
	(101, 'Can add session', 26, 'add_session'),
	(102, 'Can change session', 26, 'change_session'),
	(103, 'Can delete session', 26, 'delete_session'),
	(104, 'Can view session', 26, 'view_session'),
	(105, 'Can add access attempt', 27, 'add_accessattempt'),
	(106, 'Can change access attempt', 27, 'change_accessattempt'),
	(107, 'Can delete access attempt', 27, 'delete_accessattempt'),
	(108, 'Can view access attempt', 27, 'view_accessattempt'),
	(109, 'Can add access log', 30, 'add_accesslog'),
	(110, 'Can change access log', 30, 'change_accesslog'),
	(111, 'Can delete access log', 30, 'delete_accesslog'),
	(112, 'Can view access log', 30, 'view_accesslog'),
	(113, 'Can add access failure', 29, 'add_accessfailurelog'),
	(114, 'Can change access failure', 29, 'change_accessfailurelog'),
	(115, 'Can delete access failure', 29, 'delete_accessfailurelog'),
	(116, 'Can view access failure', 29, 'view_accessfailurelog'),
	(117, 'Can add access attempt expiration', 28, 'add_accessattemptexpiration'),
	(118, 'Can change access attempt expiration', 28, 'change_accessattemptexpiration'),
	(119, 'Can delete access attempt expiration', 28, 'delete_accessattemptexpiration'),
	(120, 'Can view access attempt expiration', 28, 'view_accessattemptexpiration'),
	(121, 'Can add Scheduled task', 33, 'add_schedule'),
	(122, 'Can change Scheduled task', 33, 'change_schedule'),
	(123, 'Can delete Scheduled task', 33, 'delete_schedule'),
	(124, 'Can view Scheduled task', 33, 'view_schedule'),
	(125, 'Can add Task', 35, 'add_task'),
	(126, 'Can change Task', 35, 'change_task'),
	(127, 'Can delete Task', 35, 'delete_task'),
	(128, 'Can view Task', 35, 'view_task'),
	(129, 'Can add Failed task', 31, 'add_failure'),
	(130, 'Can change Failed task', 31, 'change_failure'),
	(131, 'Can delete Failed task', 31, 'delete_failure'),
	(132, 'Can view Failed task', 31, 'view_failure'),
	(133, 'Can add Successful task', 34, 'add_success'),
	(134, 'Can change Successful task', 34, 'change_success'),
	(135, 'Can delete Successful task', 34, 'delete_success'),
	(136, 'Can view Successful task', 34, 'view_success'),
	(137, 'Can add Queued task', 32, 'add_ormq'),
	(138, 'Can change Queued task', 32, 'change_ormq'),
	(139, 'Can delete Queued task', 32, 'delete_ormq'),
	(140, 'Can view Queued task', 32, 'view_ormq');
INSERT INTO public.auth_user VALUES
	(1, 'md5$xtjOZECZGvHbQkW5aOYvA2$13967176765d7e79c13cad3c2e597751', '2026-09-30 12:01:07+00', false, 'ours', '', '', '', false, true, '2026-09-30 12:01:07+00'),
	(2, 'md5$uuvnKjaFzzUFkgpv1XAtsV$ff15bad2baac0e93c04bdb3268d4062f', '2026-09-30 12:01:07+00', false, 'theirs', '', '', '', false, true, '2026-09-30 12:01:07+00');
INSERT INTO public.axes_accesslog VALUES
	(1, '<unknown>', NULL, 'ours', '<unknown>', '<unknown>', '2026-09-30 12:01:07+00', NULL, '9242a17c08a9ba0d49f8e904ef4140eb0329fa6ae5f1bf749dd56bbdc1900163'),
	(2, '<unknown>', NULL, 'theirs', '<unknown>', '<unknown>', '2026-09-30 12:01:07+00', NULL, 'f167c24d3697e126ddfcfcddeaf329448fa6970cec56b6e65b6b719927ec73aa');
INSERT INTO public.django_content_type VALUES
	(1, 'memory', 'agent'),
	(2, 'memory', 'agenttail'),
	(3, 'memory', 'head'),
	(4, 'memory', 'instrument'),
	(5, 'memory', 'posting'),
	(6, 'memory', 'producer'),
	(7, 'memory', 'producerenablement'),
	(8, 'memory', 'record'),
	(9, 'memory', 'recordlink'),
	(10, 'memory', 'recordtarget'),
	(11, 'memory', 'run'),
	(12, 'memory', 'selection'),
	(13, 'memory', 'standing'),
	(14, 'memory', 'standingchange'),
	(15, 'memory', 'tag'),
	(16, 'memory', 'token'),
	(17, 'trading', 'candle'),
	(18, 'trading', 'fundingrate'),
	(19, 'trading', 'indicatorrun'),
	(20, 'trading', 'spotpair'),
	(21, 'admin', 'logentry'),
	(22, 'auth', 'group'),
	(23, 'auth', 'permission'),
	(24, 'auth', 'user'),
	(25, 'contenttypes', 'contenttype'),
	(26, 'sessions', 'session'),
	(27, 'axes', 'accessattempt'),
	(28, 'axes', 'accessattemptexpiration'),
	(29, 'axes', 'accessfailurelog'),
	(30, 'axes', 'accesslog'),
	(31, 'django_q', 'failure'),
	(32, 'django_q', 'ormq'),
	(33, 'django_q', 'schedule'),
	(34, 'django_q', 'success'),
	(35, 'django_q', 'task');
INSERT INTO public.django_migrations VALUES
	(1, 'contenttypes', '0001_initial', '2026-09-30 12:01:07+00'),
	(2, 'auth', '0001_initial', '2026-09-30 12:01:07+00'),
	(3, 'admin', '0001_initial', '2026-09-30 12:01:07+00'),
	(4, 'admin', '0002_logentry_remove_auto_add', '2026-09-30 12:01:07+00'),
	(5, 'admin', '0003_logentry_add_action_flag_choices', '2026-09-30 12:01:07+00'),
	(6, 'contenttypes', '0002_remove_content_type_name', '2026-09-30 12:01:07+00'),
	(7, 'auth', '0002_alter_permission_name_max_length', '2026-09-30 12:01:07+00'),
	(8, 'auth', '0003_alter_user_email_max_length', '2026-09-30 12:01:07+00'),
	(9, 'auth', '0004_alter_user_username_opts', '2026-09-30 12:01:07+00'),
	(10, 'auth', '0005_alter_user_last_login_null', '2026-09-30 12:01:07+00'),
	(11, 'auth', '0006_require_contenttypes_0002', '2026-09-30 12:01:07+00'),
	(12, 'auth', '0007_alter_validators_add_error_messages', '2026-09-30 12:01:07+00'),
	(13, 'auth', '0008_alter_user_username_max_length', '2026-09-30 12:01:07+00'),
	(14, 'auth', '0009_alter_user_last_name_max_length', '2026-09-30 12:01:07+00'),
	(15, 'auth', '0010_alter_group_name_max_length', '2026-09-30 12:01:07+00'),
	(16, 'auth', '0011_update_proxy_permissions', '2026-09-30 12:01:07+00'),
	(17, 'auth', '0012_alter_user_first_name_max_length', '2026-09-30 12:01:07+00'),
	(18, 'axes', '0001_initial', '2026-09-30 12:01:07+00'),
	(19, 'axes', '0002_auto_20151217_2044', '2026-09-30 12:01:07+00'),
	(20, 'axes', '0003_auto_20160322_0929', '2026-09-30 12:01:07+00'),
	(21, 'axes', '0004_auto_20181024_1538', '2026-09-30 12:01:07+00'),
	(22, 'axes', '0005_remove_accessattempt_trusted', '2026-09-30 12:01:07+00'),
	(23, 'axes', '0006_remove_accesslog_trusted', '2026-09-30 12:01:07+00'),
	(24, 'axes', '0007_alter_accessattempt_unique_together', '2026-09-30 12:01:07+00'),
	(25, 'axes', '0008_accessfailurelog', '2026-09-30 12:01:07+00'),
	(26, 'axes', '0009_add_session_hash', '2026-09-30 12:01:07+00'),
	(27, 'axes', '0010_accessattemptexpiration', '2026-09-30 12:01:07+00'),
	(28, 'django_q', '0001_initial', '2026-09-30 12:01:07+00'),
	(29, 'django_q', '0002_auto_20150630_1624', '2026-09-30 12:01:07+00'),
	(30, 'django_q', '0003_auto_20150708_1326', '2026-09-30 12:01:07+00'),
	(31, 'django_q', '0004_auto_20150710_1043', '2026-09-30 12:01:07+00'),
	(32, 'django_q', '0005_auto_20150718_1506', '2026-09-30 12:01:07+00'),
	(33, 'django_q', '0006_auto_20150805_1817', '2026-09-30 12:01:07+00'),
	(34, 'django_q', '0007_ormq', '2026-09-30 12:01:07+00'),
	(35, 'django_q', '0008_auto_20160224_1026', '2026-09-30 12:01:07+00'),
	(36, 'django_q', '0009_auto_20171009_0915', '2026-09-30 12:01:07+00'),
	(37, 'django_q', '0010_auto_20200610_0856', '2026-09-30 12:01:07+00'),
	(38, 'django_q', '0011_auto_20200628_1055', '2026-09-30 12:01:07+00'),
	(39, 'django_q', '0012_auto_20200702_1608', '2026-09-30 12:01:07+00'),
	(40, 'django_q', '0013_task_attempt_count', '2026-09-30 12:01:07+00'),
	(41, 'django_q', '0014_schedule_cluster', '2026-09-30 12:01:07+00'),
	(42, 'django_q', '0015_alter_schedule_schedule_type', '2026-09-30 12:01:07+00'),
	(43, 'django_q', '0016_schedule_intended_date_kwarg', '2026-09-30 12:01:07+00'),
	(44, 'django_q', '0017_task_cluster_alter', '2026-09-30 12:01:07+00'),
	(45, 'django_q', '0018_task_success_index', '2026-09-30 12:01:07+00'),
	(46, 'django_q', '0019_alter_task_options_alter_ormq_key_alter_ormq_lock_and_more', '2026-09-30 12:01:07+00'),
	(47, 'memory', '0001_initial', '2026-09-30 12:01:07+00'),
	(48, 'memory', '0002_integrity', '2026-09-30 12:01:07+00'),
	(49, 'memory', '0003_write_once', '2026-09-30 12:01:07+00'),
	(50, 'memory', '0004_standings', '2026-09-30 12:01:07+00');
INSERT INTO public.django_migrations VALUES
	(51, 'memory', '0005_standing_rules', '2026-09-30 12:01:07+00'),
	(52, 'sessions', '0001_initial', '2026-09-30 12:01:07+00'),
	(53, 'trading', '0001_initial', '2026-09-30 12:01:07+00');
INSERT INTO public.django_session VALUES
	('kkam2e0o7t773eb3xor5kp50wkaa1zo6', '.eJxVjEEOwiAQRe_C2hBohxnq0r1nIANDbdVAUtqV8e7apAvd_vfef6nA2zqFreUlzKLOyqrT7xY5PXLZgdy53KpOtazLHPWu6IM2fa2Sn5fD_TuYuE3fmrgburFHBILBMoxiDEQk6EnIOdtz9AkzU4Zs02BA0DlM4jmRt-jU-wO_KTch:1xBszj:Up4F3Y_POEbLKPU60fXEfwZIqxlxegL33OPtnxT49hQ', '2026-10-14 12:01:07+00'),
	('jyj427egu9rsird8h4pm27vxcq3svx4u', '.eJxVjEEOwiAQRe_C2hBAYMCl-56BzDBUqoYmpV0Z765NutDtf-_9l0i4rTVtvSxpYnERRpx-N8L8KG0HfMd2m2We27pMJHdFHrTLYebyvB7u30HFXr81RqNKjqNhFRWRB2MzADHA6LTVyqMOloky-HOAWJTOzpCLHCIEdCDeH9sDN1U:1xBszj:-ls75ErfbnqEyt5tL8Kig6aMraM6aP4KwoZ3glLu5KM', '2026-10-14 12:01:07+00');
INSERT INTO public.memory_agent VALUES
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'ours', 'analysis_schedule_v2', '2026-08-31 12:01:07+00', 1, false),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'theirs', 'analysis_schedule_v2', '2026-08-31 12:01:07+00', 2, false);
INSERT INTO public.memory_agent_tail VALUES
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 12, 0, 39, 11),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 12, 0, 39, 11);
INSERT INTO public.memory_head VALUES
	('BTC', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f228-5e58-701e-a74f-a491ddbc067d'),
	('ETH', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f228-5e58-701e-a74f-a491ddbc067d'),
	('BTC', 'market_context', '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f22a-3318-7da8-944e-fa32c206781f'),
	('', 'observation', '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f22f-b158-7ff8-9c63-b0c7e63c5e9f'),
	('BTC', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f228-5e58-769f-9986-3038a30046c5'),
	('ETH', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f228-5e58-769f-9986-3038a30046c5'),
	('BTC', 'market_context', '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f22a-3318-7f25-b693-a43e0233abc4'),
	('', 'observation', '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f22f-b158-7e89-9bd7-1a23c9b68d0e');
INSERT INTO public.memory_instrument VALUES
	('BTC', 'perpetual', '', NULL, 0, NULL, false, true, 'test', '2026-08-31 12:01:07+00'),
	('ETH', 'perpetual', '', NULL, 0, NULL, false, true, 'test', '2026-08-31 12:01:07+00');
INSERT INTO public.memory_link VALUES
	(0, 'corrects', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22b-1d78-7702-912d-72dd1ccaa767', '01a0f228-5e58-701e-a74f-a491ddbc067d'),
	(0, 'corrects', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22c-07d8-7fc7-8890-852043699f06', '01a0f228-5e58-701e-a74f-a491ddbc067d'),
	(1, 'corrects', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22c-07d8-7fc7-8890-852043699f06', '01a0f22a-3318-7da8-944e-fa32c206781f'),
	(0, 'corrects', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22c-f238-7f13-9381-9c0004dda697', '01a0f22b-1d78-7702-912d-72dd1ccaa767'),
	(0, 'evidence', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22d-dc98-779d-ac2b-eb76ab718bde', '01a0f228-5e58-701e-a74f-a491ddbc067d'),
	(0, 'corrects', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22b-1d78-7322-ac07-45953f7cd3e8', '01a0f228-5e58-769f-9986-3038a30046c5'),
	(0, 'corrects', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22c-07d8-7077-b608-3e98ce646a1a', '01a0f228-5e58-769f-9986-3038a30046c5'),
	(1, 'corrects', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22c-07d8-7077-b608-3e98ce646a1a', '01a0f22a-3318-7f25-b693-a43e0233abc4'),
	(0, 'corrects', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22c-f238-7763-b031-b05283ca7d30', '01a0f22b-1d78-7322-ac07-45953f7cd3e8'),
	(0, 'evidence', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22d-dc98-7f20-a439-a28aabec4c8c', '01a0f228-5e58-769f-9986-3038a30046c5');
INSERT INTO public.memory_producer VALUES
	('01a22d76-b02b-75f0-8bfd-bc56de79fdae', 'analysis', 'ours-analysis', '5m', '2026-08-31 12:01:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c'),
	('01a22d76-b032-7753-86ea-5b929fc8a0fa', 'trading', 'ours-trading', NULL, '2026-08-31 12:01:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c'),
	('01a22d76-b03a-7587-bd45-c237d1aa8c2b', 'review', 'ours-review', NULL, '2026-08-31 12:01:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c'),
	('01a22d76-b040-7348-ad3b-cdbb1e7446b5', 'autopilot', 'ours-autopilot', NULL, '2026-08-31 12:01:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c'),
	('01a22d76-b3fb-7112-9952-38a3914ca12a', 'analysis', 'theirs-analysis', '5m', '2026-08-31 12:01:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d'),
	('01a22d76-b405-7604-a823-c7a63162d761', 'trading', 'theirs-trading', NULL, '2026-08-31 12:01:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d'),
	('01a22d76-b40e-76b2-8c7f-b580b4e22113', 'review', 'theirs-review', NULL, '2026-08-31 12:01:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d'),
	('01a22d76-b41a-70ba-aa07-dfc2875497a0', 'autopilot', 'theirs-autopilot', NULL, '2026-08-31 12:01:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d');
INSERT INTO public.memory_producer_enablement VALUES
	('2026-08-31 12:01:07+00', NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b032-7753-86ea-5b929fc8a0fa'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b03a-7587-bd45-c237d1aa8c2b'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b040-7348-ad3b-cdbb1e7446b5'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b405-7604-a823-c7a63162d761'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b40e-76b2-8c7f-b580b4e22113'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b41a-70ba-aa07-dfc2875497a0');
INSERT INTO public.memory_record VALUES
	('01a0f228-5e58-701e-a74f-a491ddbc067d', 1, 'observation', 'instruments', '5m', 'Ünïcode ✓ and ''quotes''
in two lines', '{"n": [0.1, null, {"a": "b"}], "x": 10000000000000000000000, "stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2", "handoff_version": 1}', '{momentum}', NULL, '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\xc8a9e89748db138aab53024323cf3d67bdc31e16882f270e9494ccef787fa5a6', '\xf2a2f5712789c887accc96c273002c53', NULL, NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f228-5e58-7327-90d0-6bf7f6367633'),
	('01a0f11d-f338-7053-be1b-9ab1a21c4d82', 2, 'observation', 'instruments', NULL, 'older, written later', '{"stale_after": "2026-09-30T07:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 07:01:07+00', '2026-09-30 07:10:00+00', 'analysis_schedule_v2', '\x010f1d321a0316776d683717125a06254ea33f8b65cca8c8b06ec80a18614360', '\x85e2131725d21d14eaaf6a0ac11b531a', NULL, NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f11d-f338-7cc9-9863-24e57402c259'),
	('01a0f22a-3318-7da8-944e-fa32c206781f', 3, 'market_context', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\xd04422387ebc8b36ee93d33894843dfe83b0ce0d6b91f672f126d6b05c0ae8f2', '\x212ad3c6248b27378961e8bca55c3dc7', NULL, NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f22a-3318-7e15-9c18-922125429372'),
	('01a0f22b-1d78-7702-912d-72dd1ccaa767', 4, 'observation', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\xa843249f363720e15a5f76beff39ba47e7107989235c2132bd412209f0690122', '2026-09-30 11:55:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x510954b51e3bf6defc69e6c96b78638cf06d9660b7a7612d24e0002dc5a3e5a6', '\x53bb05723bd37dd0f5c1e2553aab028e', NULL, NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f22b-1d78-75f8-9645-038386ae5680'),
	('01a0f22c-07d8-7fc7-8890-852043699f06', 5, 'observation', 'agent', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x467d617f3a04f34d4be562c46ba17b5bcf51ec3e45bda8e8b39c02f9d8e7700e', '2026-09-30 11:56:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\xf3ca8861e4d088f3c015ff5f54c9d2d603ea5df58c5b392d1801a18dad3ef028', '\x78c5f17df8507e4aea3a3d26bb6a77ed', NULL, NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f22c-07d8-7929-842b-57042315e032'),
	('01a0f22c-f238-7f13-9381-9c0004dda697', 6, 'again', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x902688ddc45790e7c6921a84b702dfcc918cba35d236b43e012eb08d54180ac6', '2026-09-30 11:57:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x4417ecf074bb6deea79b12cabc8fa308a31134a0596daeaa4bf0979e6149a5d7', '\x46448927596ba41045e63e6bb95a7433', NULL, NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f22c-f238-7b9f-9407-0c64800171cf'),
	('01a0f22d-dc98-779d-ac2b-eb76ab718bde', 7, 'trading_decision', 'agent', NULL, 'a quiet market', '{"valid_for_seconds": 600}', '{}', NULL, '2026-09-30 11:58:07+00', '2026-09-30 12:08:07+00', NULL, '\x39a676f8c4e9022aa6f29052133da9caa800f475d7bd5c4a6444043911260ce0', '\x628f2a5e118e6a6e34f8578f85e9d7a8', NULL, NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b032-7753-86ea-5b929fc8a0fa', '01a0f22d-dc98-733d-bb95-a3789dc950af'),
	('01a0f22e-c6f8-7073-bcf9-b21913528269', 8, 'agent_learnings', 'agent', NULL, 'wait for the close', '{}', '{}', NULL, '2026-09-30 11:59:07+00', NULL, NULL, '\xa0947348c2beca55f5ef1df569e2ec485788aaa31e47b19ec77fa5e3b4644cdc', '\x4015c2a7f20b65574bfe64bba01463f1', NULL, NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b03a-7587-bd45-c237d1aa8c2b', '01a0f22e-c6f8-7a5d-a395-500706c32963'),
	('01a0f22f-b158-7ff8-9c63-b0c7e63c5e9f', 9, 'observation', 'agent', NULL, 'agent-wide', '{"stale_after": "2026-09-30T12:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', 'analysis_schedule_v2', '\x896e2b8548b6b7d8d90c9c4dd29477f7f9d42e83dc0d5592fbf99ca4539f4050', '\xaf1c6a1eec3b3d7a229b37dfe1a833eb', NULL, NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f22f-b158-7667-9d05-1a9f6b0e0d14'),
	('01a0f22c-07d8-7012-b869-69425913e397', 10, 'rule', 'agent', NULL, 'trade with the trend', '{}', '{trend}', NULL, '2026-09-30 11:56:07+00', NULL, NULL, '\xabc919da6c526ef5252673216dbfd6934760c86c35593aa0a2127540beabdb2a', '\xbf742fbb5054db0690ec26ad4f37ffde', NULL, NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b040-7348-ad3b-cdbb1e7446b5', '01a0f22c-07d8-72cd-af78-a88bc5102849'),
	('01a0f22c-f238-7cdb-a136-14fadf1a7b98', 11, 'strategy_insight', 'agent', NULL, 'breakouts hold when volume doubles', '{}', '{}', NULL, '2026-09-30 11:57:07+00', NULL, NULL, '\xe8fb4a257858f2e02c0f8c5c66f5076507f2690a5fb30754b4a5af0794cf968c', '\x56451f900707b3c2a5cc55d7b00e22ef', NULL, NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b040-7348-ad3b-cdbb1e7446b5', '01a0f22c-f238-7c18-893c-0f33c0146983'),
	('01a0f22d-dc98-7c03-bb33-56eb4f550245', 12, 'optimization', 'agent', NULL, '', '{}', '{}', NULL, '2026-09-30 11:58:07+00', NULL, NULL, '\xdcc521fb6babe16cd28a5499770324e5a02a3764ecca63925457b7ba083f9b20', NULL, NULL, '2026-09-30 11:59:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b040-7348-ad3b-cdbb1e7446b5', '01a0f22d-dc98-74ce-a9c4-122f1797286d'),
	('01a0f228-5e58-769f-9986-3038a30046c5', 1, 'observation', 'instruments', '5m', 'Ünïcode ✓ and ''quotes''
in two lines', '{"n": [0.1, null, {"a": "b"}], "x": 10000000000000000000000, "stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2", "handoff_version": 1}', '{momentum}', NULL, '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\xbb0829137f51830b18eb5bc30dbc3ea33fedc600d5305003b476c9791610b65a', '\xa82940ea0eef521618983a62e0e087be', NULL, NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f228-5e58-7a19-8a37-65c4ef99b24e'),
	('01a0f11d-f338-7bce-b7b8-9a162b7435c5', 2, 'observation', 'instruments', NULL, 'older, written later', '{"stale_after": "2026-09-30T07:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 07:01:07+00', '2026-09-30 07:10:00+00', 'analysis_schedule_v2', '\xa8f41c08a2c0d9d4bb1ac1c202eba2e435f118a765c6bac283e87d4f61d8b483', '\x872b1e030d9df51822f47e23ec1502d5', NULL, NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f11d-f338-76b8-961d-85ac1f12d931'),
	('01a0f22a-3318-7f25-b693-a43e0233abc4', 3, 'market_context', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\xa040e6d18c53add767e03c6f275a7736a25a81eb7aa0be6257f64055007c8baa', '\x16720aa803a654981a2cd4fcb5b19f33', NULL, NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f22a-3318-73eb-af63-5e71b12ed15e'),
	('01a0f22b-1d78-7322-ac07-45953f7cd3e8', 4, 'observation', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x93d87f9612e84ef4ed0688b3b0cfca128bbcfc6ff98f0aea7735716fda694bb8', '2026-09-30 11:55:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x4464c49feb23032690c60caf697c7a8c2987577de4325af5113694d860a8bc3b', '\x2fd2b777d33a0baf4615477147d42b9e', NULL, NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f22b-1d78-7a85-b100-a7f2bcbd6d42'),
	('01a0f22c-07d8-7077-b608-3e98ce646a1a', 5, 'observation', 'agent', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\xd8f5198689c1f2efbb854d00fe7b7040458957624cf6f3232c597805f7e3eb88', '2026-09-30 11:56:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x25101a6e92520e1e6807c2ab404d07023cc27ebb68514c3d68baafcc1d669066', '\x68a3a340809a71034971efe854c3f370', NULL, NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f22c-07d8-7f69-864c-a46f8e7ba5b1'),
	('01a0f22c-f238-7763-b031-b05283ca7d30', 6, 'again', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\xff35e730a2456572bc1adc663c54a2cb9517b034a44706092f2e7b1fb292c565', '2026-09-30 11:57:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x1a4799bd2b981e2387bf621a08173019e35ff428482dce3227ead3b7c2a02808', '\xc9c38a060c55456a48e2048a00ecc131', NULL, NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f22c-f238-7c22-918c-6b67a62d7e4b'),
	('01a0f22d-dc98-7f20-a439-a28aabec4c8c', 7, 'trading_decision', 'agent', NULL, 'a quiet market', '{"valid_for_seconds": 600}', '{}', NULL, '2026-09-30 11:58:07+00', '2026-09-30 12:08:07+00', NULL, '\xc4cffb992765bb386258f49d07809cb2e945857f8e9a1433bfadc810f7e07fb5', '\xdf9fa12722cc4ccecba8e053c6a5abef', NULL, NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b405-7604-a823-c7a63162d761', '01a0f22d-dc98-7996-ac35-38e1905d77ad'),
	('01a0f22e-c6f8-7d7e-9a39-e01e91bb7fd1', 8, 'agent_learnings', 'agent', NULL, 'wait for the close', '{}', '{}', NULL, '2026-09-30 11:59:07+00', NULL, NULL, '\xcf4e92d47ba0a011257b3467d177df431dcc7ea65cbc3121bcebaeb856fbe235', '\x0cdd7605090dbf99b941de4078f3931f', NULL, NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b40e-76b2-8c7f-b580b4e22113', '01a0f22e-c6f8-78ca-a020-bc854a13666f'),
	('01a0f22f-b158-7e89-9bd7-1a23c9b68d0e', 9, 'observation', 'agent', NULL, 'agent-wide', '{"stale_after": "2026-09-30T12:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', 'analysis_schedule_v2', '\x185cd8458881564b12edaef14f0c68b69b512faccdc13a8d4b7aa3d20a97414b', '\x59a7b1a50223a6f638960470355f699e', NULL, NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f22f-b158-7217-9da7-19d8f9e13f59'),
	('01a0f22c-07d8-7043-942f-e86f89ac5d58', 10, 'rule', 'agent', NULL, 'trade with the trend', '{}', '{trend}', NULL, '2026-09-30 11:56:07+00', NULL, NULL, '\xfbea1e9d5f3945d3ec837aa7abb322b3d4f724bc8313699f8bfc420523e9f9a1', '\x9bf7d2d4b9fabb6ac21723d91eb7de4a', NULL, NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b41a-70ba-aa07-dfc2875497a0', '01a0f22c-07d8-7c69-9f78-0b8e85cef272'),
	('01a0f22c-f238-7b9b-8919-b6bbe1445a88', 11, 'strategy_insight', 'agent', NULL, 'breakouts hold when volume doubles', '{}', '{}', NULL, '2026-09-30 11:57:07+00', NULL, NULL, '\xed2e4e2632c3ff1a6061266e89feec1a6c4b7653cf2b9ddf54e931d5ee180d9a', '\xb3af3e7c2e404b6b33d4739c32ab55bd', NULL, NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b41a-70ba-aa07-dfc2875497a0', '01a0f22c-f238-7dde-8cc1-30ccde369843'),
	('01a0f22d-dc98-7e72-900c-bb9c3d001f88', 12, 'optimization', 'agent', NULL, '', '{}', '{}', NULL, '2026-09-30 11:58:07+00', NULL, NULL, '\x3879dbcef7e885d87299b8981a0a67e469c414a48ed65f4d60a97455b50bc88b', NULL, NULL, '2026-09-30 11:59:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b41a-70ba-aa07-dfc2875497a0', '01a0f22d-dc98-7e09-b3e2-34b779121841');
INSERT INTO public.memory_run VALUES
	('01a0f228-5e58-7327-90d0-6bf7f6367633', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:52:07+00', '2026-09-30 11:52:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', NULL),
	('01a0f11d-f338-7cc9-9863-24e57402c259', '5m', '2026-09-30 07:00:00+00', '2026-09-30 07:01:07+00', '2026-09-30 07:01:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', NULL),
	('01a0f22a-3318-7e15-9c18-922125429372', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:54:07+00', '2026-09-30 11:54:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', NULL),
	('01a0f22b-1d78-75f8-9645-038386ae5680', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:55:07+00', '2026-09-30 11:55:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', NULL),
	('01a0f22c-07d8-7929-842b-57042315e032', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:56:07+00', '2026-09-30 11:56:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', NULL),
	('01a0f22c-f238-7b9f-9407-0c64800171cf', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:57:07+00', '2026-09-30 11:57:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', NULL),
	('01a0f22d-dc98-733d-bb95-a3789dc950af', NULL, NULL, '2026-09-30 11:58:07+00', '2026-09-30 11:58:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b032-7753-86ea-5b929fc8a0fa', NULL),
	('01a0f22e-c6f8-7a5d-a395-500706c32963', NULL, NULL, '2026-09-30 11:59:07+00', '2026-09-30 11:59:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b03a-7587-bd45-c237d1aa8c2b', NULL),
	('01a0f22f-b158-7667-9d05-1a9f6b0e0d14', '5m', '2026-09-30 12:00:00+00', '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', NULL),
	('01a0f22c-07d8-72cd-af78-a88bc5102849', NULL, NULL, '2026-09-30 11:56:07+00', '2026-09-30 11:56:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b040-7348-ad3b-cdbb1e7446b5', NULL),
	('01a0f22c-f238-7c18-893c-0f33c0146983', NULL, NULL, '2026-09-30 11:57:07+00', '2026-09-30 11:57:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b040-7348-ad3b-cdbb1e7446b5', NULL),
	('01a0f22d-dc98-74ce-a9c4-122f1797286d', NULL, NULL, '2026-09-30 11:58:07+00', '2026-09-30 11:58:07+00', 'succeeded', '', true, '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b040-7348-ad3b-cdbb1e7446b5', NULL),
	('01a0f228-5e58-7a19-8a37-65c4ef99b24e', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:52:07+00', '2026-09-30 11:52:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', NULL),
	('01a0f11d-f338-76b8-961d-85ac1f12d931', '5m', '2026-09-30 07:00:00+00', '2026-09-30 07:01:07+00', '2026-09-30 07:01:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', NULL),
	('01a0f22a-3318-73eb-af63-5e71b12ed15e', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:54:07+00', '2026-09-30 11:54:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', NULL),
	('01a0f22b-1d78-7a85-b100-a7f2bcbd6d42', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:55:07+00', '2026-09-30 11:55:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', NULL),
	('01a0f22c-07d8-7f69-864c-a46f8e7ba5b1', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:56:07+00', '2026-09-30 11:56:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', NULL),
	('01a0f22c-f238-7c22-918c-6b67a62d7e4b', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:57:07+00', '2026-09-30 11:57:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', NULL),
	('01a0f22d-dc98-7996-ac35-38e1905d77ad', NULL, NULL, '2026-09-30 11:58:07+00', '2026-09-30 11:58:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b405-7604-a823-c7a63162d761', NULL),
	('01a0f22e-c6f8-78ca-a020-bc854a13666f', NULL, NULL, '2026-09-30 11:59:07+00', '2026-09-30 11:59:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b40e-76b2-8c7f-b580b4e22113', NULL),
	('01a0f22f-b158-7217-9da7-19d8f9e13f59', '5m', '2026-09-30 12:00:00+00', '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', NULL),
	('01a0f22c-07d8-7c69-9f78-0b8e85cef272', NULL, NULL, '2026-09-30 11:56:07+00', '2026-09-30 11:56:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b41a-70ba-aa07-dfc2875497a0', NULL),
	('01a0f22c-f238-7dde-8cc1-30ccde369843', NULL, NULL, '2026-09-30 11:57:07+00', '2026-09-30 11:57:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b41a-70ba-aa07-dfc2875497a0', NULL),
	('01a0f22d-dc98-7e09-b3e2-34b779121841', NULL, NULL, '2026-09-30 11:58:07+00', '2026-09-30 11:58:07+00', 'succeeded', '', true, '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b41a-70ba-aa07-dfc2875497a0', NULL);
INSERT INTO public.memory_selection VALUES
	('01a22d76-b021-7318-bba6-1c7efae2e682', '2026-08-31 12:01:07+00', NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', 'BTC'),
	('01a22d76-b029-7082-a253-e7a5c0f0b668', '2026-08-31 12:01:07+00', NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', 'ETH'),
	('01a22d76-b3ea-7431-9bd9-0993221f2f5c', '2026-08-31 12:01:07+00', NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', 'BTC'),
	('01a22d76-b3f6-749e-b3d4-e4cc59719c26', '2026-08-31 12:01:07+00', NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', 'ETH');
INSERT INTO public.memory_standing VALUES
	('01a0f22c-07d8-7012-b869-69425913e397', 'rule', NULL, NULL, '{trend,rule}', 0.8000, 1, 0.9500, NULL, NULL, '{}', 'private', NULL, 0, '2026-09-30 11:56:07+00', NULL, 2, '01a22d76-b00e-7761-8057-0c7dd1971c6c', NULL, NULL, NULL),
	('01a0f22c-f238-7cdb-a136-14fadf1a7b98', 'strategy_insight', 'breakout', 'success', '{}', 1.0000, 3, 1.0000, '{"a": [1000000000000000000000000000000], "b": 1.5}', '\x1c43fc0a044f57097fdd4a62eda6f3523e9de08db7bf6ab179976fb6bc79d7ee', '{"pnl": 3.25}', 'private', NULL, 0, '2026-09-30 11:57:07+00', '2026-12-29 11:57:07+00', 2, '01a22d76-b00e-7761-8057-0c7dd1971c6c', NULL, NULL, 'ETH'),
	('01a0f22c-07d8-7043-942f-e86f89ac5d58', 'rule', NULL, NULL, '{trend,rule}', 0.8000, 1, 0.9500, NULL, NULL, '{}', 'private', NULL, 0, '2026-09-30 11:56:07+00', NULL, 2, '01a22d76-b3de-74fe-866d-a267a423e72d', NULL, NULL, NULL),
	('01a0f22c-f238-7b9b-8919-b6bbe1445a88', 'strategy_insight', 'breakout', 'success', '{}', 1.0000, 3, 1.0000, '{"a": [1000000000000000000000000000000], "b": 1.5}', '\x1c43fc0a044f57097fdd4a62eda6f3523e9de08db7bf6ab179976fb6bc79d7ee', '{"pnl": 3.25}', 'private', NULL, 0, '2026-09-30 11:57:07+00', '2026-12-29 11:57:07+00', 2, '01a22d76-b3de-74fe-866d-a267a423e72d', NULL, NULL, 'ETH');
INSERT INTO public.memory_standing_change VALUES
	(1, 'created', NULL, '{"tags": ["trend"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22c-07d8-72cd-af78-a88bc5102849', '{}', '2026-09-30 11:56:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22c-07d8-7012-b869-69425913e397'),
	(1, 'created', NULL, '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22c-f238-7c18-893c-0f33c0146983', '{}', '2026-09-30 11:57:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22c-f238-7cdb-a136-14fadf1a7b98'),
	(1, 'created', NULL, '{"tags": [], "confidence": "1.0000", "expires_at": "2026-11-29T11:58:07Z", "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22d-dc98-74ce-a9c4-122f1797286d', '{}', '2026-09-30 11:58:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22d-dc98-7c03-bb33-56eb4f550245'),
	(2, 'purged', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-11-29T11:58:07Z", "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', NULL, 'test', '', '{}', '2026-09-30 11:59:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22d-dc98-7c03-bb33-56eb4f550245'),
	(2, 'moved', '{"tags": ["trend"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', '{"tags": ["trend", "rule"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'user', '1', '{}', '2026-09-30 12:00:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22c-07d8-7012-b869-69425913e397'),
	(2, 'moved', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 1, "community_confirmations": 0}', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 3, "community_confirmations": 0}', 'user', '1', '{}', '2026-09-30 12:00:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22c-f238-7cdb-a136-14fadf1a7b98'),
	(1, 'created', NULL, '{"tags": ["trend"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22c-07d8-7c69-9f78-0b8e85cef272', '{}', '2026-09-30 11:56:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22c-07d8-7043-942f-e86f89ac5d58'),
	(1, 'created', NULL, '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22c-f238-7dde-8cc1-30ccde369843', '{}', '2026-09-30 11:57:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22c-f238-7b9b-8919-b6bbe1445a88'),
	(1, 'created', NULL, '{"tags": [], "confidence": "1.0000", "expires_at": "2026-11-29T11:58:07Z", "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22d-dc98-7e09-b3e2-34b779121841', '{}', '2026-09-30 11:58:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22d-dc98-7e72-900c-bb9c3d001f88'),
	(2, 'purged', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-11-29T11:58:07Z", "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', NULL, 'test', '', '{}', '2026-09-30 11:59:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22d-dc98-7e72-900c-bb9c3d001f88'),
	(2, 'moved', '{"tags": ["trend"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', '{"tags": ["trend", "rule"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'user', '1', '{}', '2026-09-30 12:00:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22c-07d8-7043-942f-e86f89ac5d58'),
	(2, 'moved', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 1, "community_confirmations": 0}', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 3, "community_confirmations": 0}', 'user', '1', '{}', '2026-09-30 12:00:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22c-f238-7b9b-8919-b6bbe1445a88');
INSERT INTO public.memory_tag VALUES
	('trend', 'rule', '', '', 0.9500, 0.8000, '2026-09-30 11:56:07+00', 'infinity', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22c-07d8-7012-b869-69425913e397'),
	('rule', 'rule', '', '', 0.9500, 0.8000, '2026-09-30 11:56:07+00', 'infinity', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22c-07d8-7012-b869-69425913e397'),
	('', 'strategy_insight', 'ETH', 'breakout', 1.0000, 1.0000, '2026-09-30 11:57:07+00', '2026-12-29 11:57:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a0f22c-f238-7cdb-a136-14fadf1a7b98'),
	('trend', 'rule', '', '', 0.9500, 0.8000, '2026-09-30 11:56:07+00', 'infinity', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22c-07d8-7043-942f-e86f89ac5d58'),
	('rule', 'rule', '', '', 0.9500, 0.8000, '2026-09-30 11:56:07+00', 'infinity', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22c-07d8-7043-942f-e86f89ac5d58'),
	('', 'strategy_insight', 'ETH', 'breakout', 1.0000, 1.0000, '2026-09-30 11:57:07+00', '2026-12-29 11:57:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a0f22c-f238-7b9b-8919-b6bbe1445a88');
INSERT INTO public.memory_target VALUES
	(0, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', 'ETH', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f228-5e58-701e-a74f-a491ddbc067d'),
	(1, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', 'BTC', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f228-5e58-701e-a74f-a491ddbc067d'),
	(0, 'instruments', 'observation', '2026-09-30 07:01:07+00', NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', 'ETH', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f11d-f338-7053-be1b-9ab1a21c4d82'),
	(0, 'instruments', 'market_context', '2026-09-30 11:54:07+00', NULL, '01a22d76-b00e-7761-8057-0c7dd1971c6c', 'BTC', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f22a-3318-7da8-944e-fa32c206781f'),
	(0, 'instruments', 'observation', '2026-09-30 11:55:07+00', '\xa843249f363720e15a5f76beff39ba47e7107989235c2132bd412209f0690122', '01a22d76-b00e-7761-8057-0c7dd1971c6c', 'ETH', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f22b-1d78-7702-912d-72dd1ccaa767'),
	(0, 'instruments', 'again', '2026-09-30 11:57:07+00', '\x902688ddc45790e7c6921a84b702dfcc918cba35d236b43e012eb08d54180ac6', '01a22d76-b00e-7761-8057-0c7dd1971c6c', 'ETH', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', '01a0f22c-f238-7f13-9381-9c0004dda697'),
	(0, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', 'ETH', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f228-5e58-769f-9986-3038a30046c5'),
	(1, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', 'BTC', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f228-5e58-769f-9986-3038a30046c5'),
	(0, 'instruments', 'observation', '2026-09-30 07:01:07+00', NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', 'ETH', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f11d-f338-7bce-b7b8-9a162b7435c5'),
	(0, 'instruments', 'market_context', '2026-09-30 11:54:07+00', NULL, '01a22d76-b3de-74fe-866d-a267a423e72d', 'BTC', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f22a-3318-7f25-b693-a43e0233abc4'),
	(0, 'instruments', 'observation', '2026-09-30 11:55:07+00', '\x93d87f9612e84ef4ed0688b3b0cfca128bbcfc6ff98f0aea7735716fda694bb8', '01a22d76-b3de-74fe-866d-a267a423e72d', 'ETH', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f22b-1d78-7322-ac07-45953f7cd3e8'),
	(0, 'instruments', 'again', '2026-09-30 11:57:07+00', '\xff35e730a2456572bc1adc663c54a2cb9517b034a44706092f2e7b1fb292c565', '01a22d76-b3de-74fe-866d-a267a423e72d', 'ETH', '01a22d76-b3fb-7112-9952-38a3914ca12a', '01a0f22c-f238-7763-b031-b05283ca7d30');
INSERT INTO public.memory_term VALUES
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'btc', '01a0f228-5e58-701e-a74f-a491ddbc067d', 1, 8),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'eth', '01a0f228-5e58-701e-a74f-a491ddbc067d', 1, 8),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'line', '01a0f228-5e58-701e-a74f-a491ddbc067d', 1, 8),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'momentum', '01a0f228-5e58-701e-a74f-a491ddbc067d', 1, 8),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'quot', '01a0f228-5e58-701e-a74f-a491ddbc067d', 1, 8),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'two', '01a0f228-5e58-701e-a74f-a491ddbc067d', 1, 8),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'ünïcode', '01a0f228-5e58-701e-a74f-a491ddbc067d', 1, 8),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', '✓', '01a0f228-5e58-701e-a74f-a491ddbc067d', 1, 8),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'eth', '01a0f11d-f338-7053-be1b-9ab1a21c4d82', 1, 4),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'later', '01a0f11d-f338-7053-be1b-9ab1a21c4d82', 1, 4),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'older', '01a0f11d-f338-7053-be1b-9ab1a21c4d82', 1, 4),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'written', '01a0f11d-f338-7053-be1b-9ab1a21c4d82', 1, 4),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'btc', '01a0f22a-3318-7da8-944e-fa32c206781f', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'market', '01a0f22a-3318-7da8-944e-fa32c206781f', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'quiet', '01a0f22a-3318-7da8-944e-fa32c206781f', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'eth', '01a0f22b-1d78-7702-912d-72dd1ccaa767', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'market', '01a0f22b-1d78-7702-912d-72dd1ccaa767', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'quiet', '01a0f22b-1d78-7702-912d-72dd1ccaa767', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'market', '01a0f22c-07d8-7fc7-8890-852043699f06', 1, 2),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'quiet', '01a0f22c-07d8-7fc7-8890-852043699f06', 1, 2),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'eth', '01a0f22c-f238-7f13-9381-9c0004dda697', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'market', '01a0f22c-f238-7f13-9381-9c0004dda697', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'quiet', '01a0f22c-f238-7f13-9381-9c0004dda697', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'market', '01a0f22d-dc98-779d-ac2b-eb76ab718bde', 1, 2),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'quiet', '01a0f22d-dc98-779d-ac2b-eb76ab718bde', 1, 2),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'close', '01a0f22e-c6f8-7073-bcf9-b21913528269', 1, 2),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'wait', '01a0f22e-c6f8-7073-bcf9-b21913528269', 1, 2),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'agent', '01a0f22f-b158-7ff8-9c63-b0c7e63c5e9f', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'agent-wid', '01a0f22f-b158-7ff8-9c63-b0c7e63c5e9f', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'wide', '01a0f22f-b158-7ff8-9c63-b0c7e63c5e9f', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'trade', '01a0f22c-07d8-7012-b869-69425913e397', 1, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'trend', '01a0f22c-07d8-7012-b869-69425913e397', 2, 3),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'breakout', '01a0f22c-f238-7cdb-a136-14fadf1a7b98', 2, 6),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'doubl', '01a0f22c-f238-7cdb-a136-14fadf1a7b98', 1, 6),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'eth', '01a0f22c-f238-7cdb-a136-14fadf1a7b98', 1, 6),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'hold', '01a0f22c-f238-7cdb-a136-14fadf1a7b98', 1, 6),
	('01a22d76-b00e-7761-8057-0c7dd1971c6c', 'volum', '01a0f22c-f238-7cdb-a136-14fadf1a7b98', 1, 6),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'btc', '01a0f228-5e58-769f-9986-3038a30046c5', 1, 8),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'eth', '01a0f228-5e58-769f-9986-3038a30046c5', 1, 8),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'line', '01a0f228-5e58-769f-9986-3038a30046c5', 1, 8),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'momentum', '01a0f228-5e58-769f-9986-3038a30046c5', 1, 8),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'quot', '01a0f228-5e58-769f-9986-3038a30046c5', 1, 8),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'two', '01a0f228-5e58-769f-9986-3038a30046c5', 1, 8),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'ünïcode', '01a0f228-5e58-769f-9986-3038a30046c5', 1, 8),
	('01a22d76-b3de-74fe-866d-a267a423e72d', '✓', '01a0f228-5e58-769f-9986-3038a30046c5', 1, 8),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'eth', '01a0f11d-f338-7bce-b7b8-9a162b7435c5', 1, 4),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'later', '01a0f11d-f338-7bce-b7b8-9a162b7435c5', 1, 4),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'older', '01a0f11d-f338-7bce-b7b8-9a162b7435c5', 1, 4),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'written', '01a0f11d-f338-7bce-b7b8-9a162b7435c5', 1, 4),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'btc', '01a0f22a-3318-7f25-b693-a43e0233abc4', 1, 3);
INSERT INTO public.memory_term VALUES
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'market', '01a0f22a-3318-7f25-b693-a43e0233abc4', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'quiet', '01a0f22a-3318-7f25-b693-a43e0233abc4', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'eth', '01a0f22b-1d78-7322-ac07-45953f7cd3e8', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'market', '01a0f22b-1d78-7322-ac07-45953f7cd3e8', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'quiet', '01a0f22b-1d78-7322-ac07-45953f7cd3e8', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'market', '01a0f22c-07d8-7077-b608-3e98ce646a1a', 1, 2),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'quiet', '01a0f22c-07d8-7077-b608-3e98ce646a1a', 1, 2),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'eth', '01a0f22c-f238-7763-b031-b05283ca7d30', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'market', '01a0f22c-f238-7763-b031-b05283ca7d30', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'quiet', '01a0f22c-f238-7763-b031-b05283ca7d30', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'market', '01a0f22d-dc98-7f20-a439-a28aabec4c8c', 1, 2),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'quiet', '01a0f22d-dc98-7f20-a439-a28aabec4c8c', 1, 2),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'close', '01a0f22e-c6f8-7d7e-9a39-e01e91bb7fd1', 1, 2),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'wait', '01a0f22e-c6f8-7d7e-9a39-e01e91bb7fd1', 1, 2),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'agent', '01a0f22f-b158-7e89-9bd7-1a23c9b68d0e', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'agent-wid', '01a0f22f-b158-7e89-9bd7-1a23c9b68d0e', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'wide', '01a0f22f-b158-7e89-9bd7-1a23c9b68d0e', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'trade', '01a0f22c-07d8-7043-942f-e86f89ac5d58', 1, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'trend', '01a0f22c-07d8-7043-942f-e86f89ac5d58', 2, 3),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'breakout', '01a0f22c-f238-7b9b-8919-b6bbe1445a88', 2, 6),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'doubl', '01a0f22c-f238-7b9b-8919-b6bbe1445a88', 1, 6),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'eth', '01a0f22c-f238-7b9b-8919-b6bbe1445a88', 1, 6),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'hold', '01a0f22c-f238-7b9b-8919-b6bbe1445a88', 1, 6),
	('01a22d76-b3de-74fe-866d-a267a423e72d', 'volum', '01a0f22c-f238-7b9b-8919-b6bbe1445a88', 1, 6);
INSERT INTO public.memory_token VALUES
	('01a22d76-b036-769a-8b93-da38294956ce', '8d0b29480450b37600', '\x2010555313c0f22333036b79391af77761fd315509531c8b5dc2b9c5bcf37da2', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:58:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b032-7753-86ea-5b929fc8a0fa', NULL),
	('01a22d76-b03e-7124-b6cd-b87916267e32', '6aef00933e9e634ff8', '\x8731fa7e35f664cbeed4ee30128e5d09d5f33dbaed0cca060110ce0ebafc250e', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:59:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b03a-7587-bd45-c237d1aa8c2b', NULL),
	('01a22d76-b030-7650-b13d-53ef3d404bb7', '1a4cd60caafb6a83d0', '\x330483b425f0087f7752a9e3274808563e3386b3fc91797cc3780ba1fa1b8827', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 12:00:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b02b-75f0-8bfd-bc56de79fdae', NULL),
	('01a22d76-b044-7368-b82e-a2b227359861', '8f088f9a8ef6c79832', '\x8d3cea2389347adaccd9f4848b6e6c7cec0c3652389886d3aa453bfb8bf6439b', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:58:07+00', '01a22d76-b00e-7761-8057-0c7dd1971c6c', '01a22d76-b040-7348-ad3b-cdbb1e7446b5', NULL),
	('01a22d76-b408-77ea-a82a-e768afaca287', 'a68f91cd491b0cc7c8', '\xe0a5395693af25abea8ab3af9a6b87ed2d1262b15de8085988467b86390f7bdd', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:58:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b405-7604-a823-c7a63162d761', NULL),
	('01a22d76-b414-77d6-b5da-50f910722b4c', '8266e6c64f45e7c8a7', '\x4c7ce660e040a3129373ebe61361f3b496e8b3d49d0915a4dc341e07cf9d6823', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:59:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b40e-76b2-8c7f-b580b4e22113', NULL),
	('01a22d76-b402-7366-a45f-3411999f3278', 'e52b67049b52ebc087', '\xd5ae93cd374c8264121043b0f1f1089e82c4dc40bb4d8d1f2da5284930eb81ea', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 12:00:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b3fb-7112-9952-38a3914ca12a', NULL),
	('01a22d76-b423-77c1-aadc-a7c67df0df16', '5d1aa36c267f604f63', '\x46ad88def6509010103c4393eed4ccbf19d99745ddfd951b2f0802f3c7e57121', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:58:07+00', '01a22d76-b3de-74fe-866d-a267a423e72d', '01a22d76-b41a-70ba-aa07-dfc2875497a0', NULL);
SELECT pg_catalog.setval('public.auth_group_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_permission_id_seq', 140, true);
SELECT pg_catalog.setval('public.auth_user_groups_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_user_id_seq', 2, true);
SELECT pg_catalog.setval('public.auth_user_user_permissions_id_seq', 1, false);
SELECT pg_catalog.setval('public.axes_accessattempt_id_seq', 1, false);
SELECT pg_catalog.setval('public.axes_accessfailurelog_id_seq', 1, false);
SELECT pg_catalog.setval('public.axes_accesslog_id_seq', 2, true);
SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, false);
SELECT pg_catalog.setval('public.django_content_type_id_seq', 35, true);
SELECT pg_catalog.setval('public.django_migrations_id_seq', 53, true);
SELECT pg_catalog.setval('public.django_q_ormq_id_seq', 1, false);
SELECT pg_catalog.setval('public.django_q_schedule_id_seq', 1, false);
ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_group_id_94350c0c_uniq UNIQUE (user_id, group_id);
ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_permission_id_14a6b632_uniq UNIQUE (user_id, permission_id);
ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_username_key UNIQUE (username);
ALTER TABLE ONLY public.axes_accessattempt
    ADD CONSTRAINT axes_accessattempt_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.axes_accessattempt
    ADD CONSTRAINT axes_accessattempt_username_ip_address_user_agent_8ea22282_uniq UNIQUE (username, ip_address, user_agent);
ALTER TABLE ONLY public.axes_accessattemptexpiration
    ADD CONSTRAINT axes_accessattemptexpiration_pkey PRIMARY KEY (access_attempt_id);
ALTER TABLE ONLY public.axes_accessfailurelog
    ADD CONSTRAINT axes_accessfailurelog_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.axes_accesslog
    ADD CONSTRAINT axes_accesslog_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);
ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_q_ormq
    ADD CONSTRAINT django_q_ormq_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_q_schedule
    ADD CONSTRAINT django_q_schedule_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_q_task
    ADD CONSTRAINT django_q_task_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);
ALTER TABLE ONLY public.trading_indicator_run
    ADD CONSTRAINT indicator_run_agent_id UNIQUE (agent_id, id);
ALTER TABLE ONLY public.memory_agent
    ADD CONSTRAINT memory_agent_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_agent_tail
    ADD CONSTRAINT memory_agent_tail_pkey PRIMARY KEY (agent_id);
ALTER TABLE ONLY public.memory_head
    ADD CONSTRAINT memory_head_pkey PRIMARY KEY (agent_id, instrument_id, producer_id, type);
ALTER TABLE ONLY public.memory_instrument
    ADD CONSTRAINT memory_instrument_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_link
    ADD CONSTRAINT memory_link_pkey PRIMARY KEY (agent_id, source_id, ord);
ALTER TABLE ONLY public.memory_producer_enablement
    ADD CONSTRAINT memory_producer_enablement_pkey PRIMARY KEY (agent_id, producer_id, enabled_at);
ALTER TABLE ONLY public.memory_producer
    ADD CONSTRAINT memory_producer_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_record
    ADD CONSTRAINT memory_record_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_run
    ADD CONSTRAINT memory_run_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_selection
    ADD CONSTRAINT memory_selection_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_standing_change
    ADD CONSTRAINT memory_standing_change_pkey PRIMARY KEY (agent_id, record_id, revision);
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT memory_standing_pkey PRIMARY KEY (record_id);
ALTER TABLE ONLY public.memory_tag
    ADD CONSTRAINT memory_tag_pkey PRIMARY KEY (agent_id, record_id, tag);
ALTER TABLE ONLY public.memory_target
    ADD CONSTRAINT memory_target_pkey PRIMARY KEY (agent_id, record_id, instrument_id);
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT memory_token_key_key UNIQUE (key);
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT memory_token_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_term
    ADD CONSTRAINT term_key PRIMARY KEY (agent_id, lexeme, record_id) INCLUDE (tf, len);
ALTER TABLE ONLY public.trading_candle
    ADD CONSTRAINT trading_candle_pkey PRIMARY KEY (instrument_id, timeframe, opened_at);
ALTER TABLE ONLY public.trading_funding_rate
    ADD CONSTRAINT trading_funding_rate_pkey PRIMARY KEY (instrument_id, at);
ALTER TABLE ONLY public.trading_indicator_run
    ADD CONSTRAINT trading_indicator_run_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.trading_spot_pair
    ADD CONSTRAINT trading_spot_pair_pkey PRIMARY KEY (instrument_id);
CREATE UNIQUE INDEX agent_name_once ON public.memory_agent USING btree (owner_id, name);
CREATE INDEX auth_group_name_a6ea08ec_like ON public.auth_group USING btree (name varchar_pattern_ops);
CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON public.auth_group_permissions USING btree (group_id);
CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON public.auth_group_permissions USING btree (permission_id);
CREATE INDEX auth_permission_content_type_id_2f476e4b ON public.auth_permission USING btree (content_type_id);
CREATE INDEX auth_user_groups_group_id_97559544 ON public.auth_user_groups USING btree (group_id);
CREATE INDEX auth_user_groups_user_id_6a12ed8b ON public.auth_user_groups USING btree (user_id);
CREATE INDEX auth_user_user_permissions_permission_id_1fbb5f2c ON public.auth_user_user_permissions USING btree (permission_id);
CREATE INDEX auth_user_user_permissions_user_id_a95ead1b ON public.auth_user_user_permissions USING btree (user_id);
CREATE INDEX auth_user_username_6821ab7c_like ON public.auth_user USING btree (username varchar_pattern_ops);
CREATE INDEX axes_accessattempt_ip_address_10922d9c ON public.axes_accessattempt USING btree (ip_address);
CREATE INDEX axes_accessattempt_user_agent_ad89678b ON public.axes_accessattempt USING btree (user_agent);
CREATE INDEX axes_accessattempt_user_agent_ad89678b_like ON public.axes_accessattempt USING btree (user_agent varchar_pattern_ops);
CREATE INDEX axes_accessattempt_username_3f2d4ca0 ON public.axes_accessattempt USING btree (username);
CREATE INDEX axes_accessattempt_username_3f2d4ca0_like ON public.axes_accessattempt USING btree (username varchar_pattern_ops);
CREATE INDEX axes_accessfailurelog_ip_address_2e9f5a7f ON public.axes_accessfailurelog USING btree (ip_address);
CREATE INDEX axes_accessfailurelog_user_agent_ea145dda ON public.axes_accessfailurelog USING btree (user_agent);
CREATE INDEX axes_accessfailurelog_user_agent_ea145dda_like ON public.axes_accessfailurelog USING btree (user_agent varchar_pattern_ops);
CREATE INDEX axes_accessfailurelog_username_a8b7e8a4 ON public.axes_accessfailurelog USING btree (username);
CREATE INDEX axes_accessfailurelog_username_a8b7e8a4_like ON public.axes_accessfailurelog USING btree (username varchar_pattern_ops);
CREATE INDEX axes_accesslog_ip_address_86b417e5 ON public.axes_accesslog USING btree (ip_address);
CREATE INDEX axes_accesslog_user_agent_0e659004 ON public.axes_accesslog USING btree (user_agent);
CREATE INDEX axes_accesslog_user_agent_0e659004_like ON public.axes_accesslog USING btree (user_agent varchar_pattern_ops);
CREATE INDEX axes_accesslog_username_df93064b ON public.axes_accesslog USING btree (username);
CREATE INDEX axes_accesslog_username_df93064b_like ON public.axes_accesslog USING btree (username varchar_pattern_ops);
CREATE INDEX django_admin_log_content_type_id_c4bce8eb ON public.django_admin_log USING btree (content_type_id);
CREATE INDEX django_admin_log_user_id_c564eba6 ON public.django_admin_log USING btree (user_id);
CREATE INDEX django_q_task_id_32882367_like ON public.django_q_task USING btree (id varchar_pattern_ops);
CREATE INDEX django_session_expire_date_a5c62663 ON public.django_session USING btree (expire_date);
CREATE INDEX django_session_session_key_c0390e0f_like ON public.django_session USING btree (session_key varchar_pattern_ops);
CREATE UNIQUE INDEX enablement_open_once ON public.memory_producer_enablement USING btree (agent_id, producer_id) WHERE (disabled_at IS NULL);
CREATE INDEX indicator_run_of_run ON public.trading_indicator_run USING btree (agent_id, run_id);
CREATE INDEX indicator_run_recent ON public.trading_indicator_run USING btree (agent_id, instrument_id, computed_at DESC);
CREATE INDEX link_back ON public.memory_link USING btree (agent_id, target_id, link_type, source_id);
CREATE UNIQUE INDEX link_once ON public.memory_link USING btree (agent_id, source_id, target_id, link_type);
CREATE INDEX memory_agent_owner_id_ee3f80e5 ON public.memory_agent USING btree (owner_id);
CREATE INDEX memory_instrument_id_27a83d01_like ON public.memory_instrument USING btree (id varchar_pattern_ops);
CREATE INDEX memory_token_key_e0afcfac_like ON public.memory_token USING btree (key varchar_pattern_ops);
CREATE UNIQUE INDEX producer_agent_id ON public.memory_producer USING btree (agent_id, id);
CREATE UNIQUE INDEX producer_name_once ON public.memory_producer USING btree (agent_id, name);
CREATE UNIQUE INDEX record_agent_id ON public.memory_record USING btree (agent_id, id);
CREATE UNIQUE INDEX record_agent_id_scope ON public.memory_record USING btree (agent_id, id, scope);
CREATE UNIQUE INDEX record_agent_seq ON public.memory_record USING btree (agent_id, seq);
CREATE INDEX record_lane ON public.memory_record USING btree (agent_id, producer_id, type, created_at DESC, id DESC) WHERE ((originals_hash IS NULL) AND ((scope)::text = 'agent'::text));
CREATE INDEX record_time ON public.memory_record USING btree (agent_id, created_at DESC, id DESC) WHERE (purged_at IS NULL);
CREATE INDEX record_type_time ON public.memory_record USING btree (agent_id, type, created_at DESC, id DESC) WHERE (purged_at IS NULL);
CREATE UNIQUE INDEX run_agent_id ON public.memory_run USING btree (agent_id, id);
CREATE UNIQUE INDEX run_bound_once ON public.memory_run USING btree (agent_id, bound_token_id) WHERE ((status)::text = 'running'::text);
CREATE INDEX run_recent ON public.memory_run USING btree (agent_id, producer_id, started_at DESC);
CREATE UNIQUE INDEX selection_agent_id ON public.memory_selection USING btree (agent_id, id);
CREATE UNIQUE INDEX selection_open_once ON public.memory_selection USING btree (agent_id, instrument_id) WHERE (deselected_at IS NULL);
CREATE INDEX selection_period ON public.memory_selection USING btree (agent_id, instrument_id, selected_at);
CREATE UNIQUE INDEX standing_agent_record ON public.memory_standing USING btree (agent_id, record_id);
CREATE INDEX standing_by_strategy ON public.memory_standing USING btree (agent_id, type, strategy_type, COALESCE(expires_at, 'infinity'::timestamp with time zone)) WHERE (merged_into_id IS NULL);
CREATE INDEX standing_by_symbol ON public.memory_standing USING btree (agent_id, type, symbol_id, COALESCE(expires_at, 'infinity'::timestamp with time zone)) WHERE (merged_into_id IS NULL);
CREATE INDEX success_index ON public.django_q_task USING btree ("group", name, func) WHERE success;
CREATE INDEX tag_by_strategy ON public.memory_tag USING btree (agent_id, type, tag, strategy_type, expires_at) INCLUDE (symbol, relevance, confidence, created_at, record_id);
CREATE INDEX tag_by_symbol ON public.memory_tag USING btree (agent_id, type, tag, symbol, expires_at) INCLUDE (relevance, confidence, created_at, record_id);
CREATE INDEX target_lane ON public.memory_target USING btree (agent_id, instrument_id, producer_id, type, created_at DESC, record_id DESC) WHERE (originals_hash IS NULL);
CREATE INDEX target_time ON public.memory_target USING btree (agent_id, instrument_id, created_at DESC, record_id DESC);
CREATE UNIQUE INDEX token_agent_id ON public.memory_token USING btree (agent_id, id);
CREATE INDEX trading_indicator_run_agent_id_65013561 ON public.trading_indicator_run USING btree (agent_id);
CREATE INDEX trading_spot_pair_instrument_id_f108971c_like ON public.trading_spot_pair USING btree (instrument_id varchar_pattern_ops);
CREATE TRIGGER agent_has_tail AFTER INSERT ON public.memory_agent FOR EACH ROW EXECUTE FUNCTION public.memory_agent_has_tail();
CREATE TRIGGER indicator_run_immutable BEFORE DELETE OR UPDATE ON public.trading_indicator_run FOR EACH ROW EXECUTE FUNCTION public.trading_refuse_change();
CREATE TRIGGER link_immutable BEFORE DELETE OR UPDATE ON public.memory_link FOR EACH ROW EXECUTE FUNCTION public.memory_side_immutable();
CREATE TRIGGER link_whole AFTER INSERT ON public.memory_link REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.memory_link_whole();
CREATE TRIGGER producer_frozen BEFORE UPDATE ON public.memory_producer FOR EACH ROW EXECUTE FUNCTION public.memory_producer_frozen();
CREATE CONSTRAINT TRIGGER record_has_standing AFTER INSERT OR UPDATE ON public.memory_record DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.type)::text = ANY ((ARRAY['rule'::character varying, 'strategy_insight'::character varying, 'optimization'::character varying])::text[]))) EXECUTE FUNCTION public.memory_record_has_standing();
CREATE TRIGGER record_immutable BEFORE DELETE OR UPDATE ON public.memory_record FOR EACH ROW EXECUTE FUNCTION public.memory_record_immutable();
CREATE CONSTRAINT TRIGGER record_needs_target AFTER INSERT ON public.memory_record DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.scope)::text = 'instruments'::text)) EXECUTE FUNCTION public.memory_record_needs_target();
CREATE TRIGGER record_run_of_producer AFTER INSERT ON public.memory_record FOR EACH ROW WHEN ((new.imported_at IS NULL)) EXECUTE FUNCTION public.memory_record_run();
CREATE TRIGGER run_frozen BEFORE UPDATE ON public.memory_run FOR EACH ROW EXECUTE FUNCTION public.memory_run_frozen();
CREATE TRIGGER standing_change_rules BEFORE INSERT OR DELETE OR UPDATE ON public.memory_standing_change FOR EACH ROW EXECUTE FUNCTION public.memory_standing_change_rules();
CREATE TRIGGER standing_frozen BEFORE UPDATE ON public.memory_standing FOR EACH ROW EXECUTE FUNCTION public.memory_standing_frozen();
CREATE CONSTRAINT TRIGGER standing_in_ledger AFTER INSERT OR DELETE OR UPDATE ON public.memory_standing DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.memory_standing_ledgered();
CREATE TRIGGER standing_matches_record AFTER INSERT ON public.memory_standing FOR EACH ROW EXECUTE FUNCTION public.memory_standing_matches();
CREATE TRIGGER standing_tags AFTER INSERT OR UPDATE ON public.memory_standing FOR EACH ROW EXECUTE FUNCTION public.memory_standing_tags();
CREATE TRIGGER standing_untag BEFORE DELETE ON public.memory_standing FOR EACH ROW EXECUTE FUNCTION public.memory_standing_tags();
CREATE TRIGGER target_immutable BEFORE DELETE OR UPDATE ON public.memory_target FOR EACH ROW EXECUTE FUNCTION public.memory_side_immutable();
CREATE TRIGGER target_whole AFTER INSERT ON public.memory_target REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.memory_target_whole();
CREATE TRIGGER token_frozen BEFORE UPDATE ON public.memory_token FOR EACH ROW EXECUTE FUNCTION public.memory_token_frozen();
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_group_id_97559544_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_6a12ed8b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.axes_accessattemptexpiration
    ADD CONSTRAINT axes_accessattemptex_access_attempt_id_6b73a47a_fk_axes_acce FOREIGN KEY (access_attempt_id) REFERENCES public.axes_accessattempt(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_content_type_id_c4bce8eb_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_user_id_c564eba6_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_producer_enablement
    ADD CONSTRAINT enablement_producer_fk FOREIGN KEY (agent_id, producer_id) REFERENCES public.memory_producer(agent_id, id);
ALTER TABLE ONLY public.memory_head
    ADD CONSTRAINT head_record_fk FOREIGN KEY (agent_id, record_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.trading_indicator_run
    ADD CONSTRAINT indicator_run_run_fk FOREIGN KEY (agent_id, run_id) REFERENCES public.memory_run(agent_id, id);
ALTER TABLE ONLY public.memory_link
    ADD CONSTRAINT link_source_fk FOREIGN KEY (agent_id, source_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.memory_link
    ADD CONSTRAINT link_target_fk FOREIGN KEY (agent_id, target_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.memory_agent
    ADD CONSTRAINT memory_agent_owner_id_ee3f80e5_fk_auth_user_id FOREIGN KEY (owner_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_agent_tail
    ADD CONSTRAINT memory_agent_tail_agent_id_f69524ba_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_producer
    ADD CONSTRAINT memory_producer_agent_id_fcb67424_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_record
    ADD CONSTRAINT memory_record_agent_id_a5137619_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_run
    ADD CONSTRAINT memory_run_agent_id_de594018_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_selection
    ADD CONSTRAINT memory_selection_agent_id_a18acf66_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_selection
    ADD CONSTRAINT memory_selection_instrument_id_7254beec_fk_memory_instrument_id FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT memory_standing_agent_id_c19a1c34_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT memory_standing_author_id_31f5dcf3_fk_auth_user_id FOREIGN KEY (author_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT memory_standing_symbol_id_badd96c7_fk_memory_instrument_id FOREIGN KEY (symbol_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_target
    ADD CONSTRAINT memory_target_instrument_id_c3273442_fk_memory_instrument_id FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT memory_token_agent_id_62121289_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_record
    ADD CONSTRAINT record_producer_fk FOREIGN KEY (agent_id, producer_id) REFERENCES public.memory_producer(agent_id, id);
ALTER TABLE ONLY public.memory_run
    ADD CONSTRAINT run_bound_token_fk FOREIGN KEY (agent_id, bound_token_id) REFERENCES public.memory_token(agent_id, id);
ALTER TABLE ONLY public.memory_run
    ADD CONSTRAINT run_producer_fk FOREIGN KEY (agent_id, producer_id) REFERENCES public.memory_producer(agent_id, id);
ALTER TABLE ONLY public.memory_standing_change
    ADD CONSTRAINT standing_change_record_fk FOREIGN KEY (agent_id, record_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT standing_merged_fk FOREIGN KEY (agent_id, merged_into_id) REFERENCES public.memory_standing(agent_id, record_id);
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT standing_record_fk FOREIGN KEY (agent_id, record_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.memory_tag
    ADD CONSTRAINT tag_standing_fk FOREIGN KEY (agent_id, record_id) REFERENCES public.memory_standing(agent_id, record_id);
ALTER TABLE ONLY public.memory_target
    ADD CONSTRAINT target_scope_fk FOREIGN KEY (agent_id, record_id, scope) REFERENCES public.memory_record(agent_id, id, scope);
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT token_producer_fk FOREIGN KEY (agent_id, producer_id) REFERENCES public.memory_producer(agent_id, id);
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT token_run_fk FOREIGN KEY (agent_id, run_id) REFERENCES public.memory_run(agent_id, id);
ALTER TABLE ONLY public.trading_candle
    ADD CONSTRAINT trading_candle_instrument_id_60fa92ac_fk_memory_instrument_id FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.trading_funding_rate
    ADD CONSTRAINT trading_funding_rate_instrument_id_de7a3101_fk_memory_in FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.trading_indicator_run
    ADD CONSTRAINT trading_indicator_ru_instrument_id_02b729a0_fk_memory_in FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.trading_indicator_run
    ADD CONSTRAINT trading_indicator_run_agent_id_65013561_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.trading_spot_pair
    ADD CONSTRAINT trading_spot_pair_instrument_id_f108971c_fk_memory_in FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
