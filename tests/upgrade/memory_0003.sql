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
    SELECT pg_xact_status((CASE WHEN low > now_low THEN epoch - 1 ELSE epoch END << 32 | low)
                          ::text::xid8) = 'in progress'
    FROM (SELECT row_xmin::text::bigint AS low,
                 pg_current_xact_id()::text::bigint & 4294967295 AS now_low,
                 pg_current_xact_id()::text::bigint >> 32 AS epoch) x
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
CREATE FUNCTION public.memory_side_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'targets and links never change after the write'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
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
    CONSTRAINT agent_name_not_empty CHECK ((NOT ((name)::text = ''::text))),
    CONSTRAINT agent_policy_stampable CHECK (((expiry_policy)::text = ANY ((ARRAY['analysis_schedule_v2'::character varying, 'analysis_schedule_v3'::character varying])::text[])))
);
CREATE TABLE public.memory_agent_tail (
    agent_id uuid NOT NULL,
    last_seq bigint DEFAULT 0 NOT NULL,
    erasures bigint DEFAULT 0 NOT NULL,
    CONSTRAINT agent_tail_not_negative CHECK (((erasures >= 0) AND (last_seq >= 0)))
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
	(9, 'Can add producer', 5, 'add_producer'),
	(10, 'Can change producer', 5, 'change_producer'),
	(11, 'Can delete producer', 5, 'delete_producer'),
	(12, 'Can view producer', 5, 'view_producer'),
	(13, 'Can add producer enablement', 6, 'add_producerenablement'),
	(14, 'Can change producer enablement', 6, 'change_producerenablement'),
	(15, 'Can delete producer enablement', 6, 'delete_producerenablement'),
	(16, 'Can view producer enablement', 6, 'view_producerenablement'),
	(17, 'Can add record', 7, 'add_record'),
	(18, 'Can change record', 7, 'change_record'),
	(19, 'Can delete record', 7, 'delete_record'),
	(20, 'Can view record', 7, 'view_record'),
	(21, 'Can add head', 3, 'add_head'),
	(22, 'Can change head', 3, 'change_head'),
	(23, 'Can delete head', 3, 'delete_head'),
	(24, 'Can view head', 3, 'view_head'),
	(25, 'Can add record link', 8, 'add_recordlink'),
	(26, 'Can change record link', 8, 'change_recordlink'),
	(27, 'Can delete record link', 8, 'delete_recordlink'),
	(28, 'Can view record link', 8, 'view_recordlink'),
	(29, 'Can add record target', 9, 'add_recordtarget'),
	(30, 'Can change record target', 9, 'change_recordtarget'),
	(31, 'Can delete record target', 9, 'delete_recordtarget'),
	(32, 'Can view record target', 9, 'view_recordtarget'),
	(33, 'Can add run', 10, 'add_run'),
	(34, 'Can change run', 10, 'change_run'),
	(35, 'Can delete run', 10, 'delete_run'),
	(36, 'Can view run', 10, 'view_run'),
	(37, 'Can add selection', 11, 'add_selection'),
	(38, 'Can change selection', 11, 'change_selection'),
	(39, 'Can delete selection', 11, 'delete_selection'),
	(40, 'Can view selection', 11, 'view_selection'),
	(41, 'Can add token', 12, 'add_token'),
	(42, 'Can change token', 12, 'change_token'),
	(43, 'Can delete token', 12, 'delete_token'),
	(44, 'Can view token', 12, 'view_token'),
	(45, 'Can add agent tail', 2, 'add_agenttail'),
	(46, 'Can change agent tail', 2, 'change_agenttail'),
	(47, 'Can delete agent tail', 2, 'delete_agenttail'),
	(48, 'Can view agent tail', 2, 'view_agenttail'),
	(49, 'Can add spot pair', 16, 'add_spotpair'),
	(50, 'Can change spot pair', 16, 'change_spotpair');
INSERT INTO public.auth_permission VALUES
	(51, 'Can delete spot pair', 16, 'delete_spotpair'),
	(52, 'Can view spot pair', 16, 'view_spotpair'),
	(53, 'Can add candle', 13, 'add_candle'),
	(54, 'Can change candle', 13, 'change_candle'),
	(55, 'Can delete candle', 13, 'delete_candle'),
	(56, 'Can view candle', 13, 'view_candle'),
	(57, 'Can add funding rate', 14, 'add_fundingrate'),
	(58, 'Can change funding rate', 14, 'change_fundingrate'),
	(59, 'Can delete funding rate', 14, 'delete_fundingrate'),
	(60, 'Can view funding rate', 14, 'view_fundingrate'),
	(61, 'Can add indicator run', 15, 'add_indicatorrun'),
	(62, 'Can change indicator run', 15, 'change_indicatorrun'),
	(63, 'Can delete indicator run', 15, 'delete_indicatorrun'),
	(64, 'Can view indicator run', 15, 'view_indicatorrun'),
	(65, 'Can add log entry', 17, 'add_logentry'),
	(66, 'Can change log entry', 17, 'change_logentry'),
	(67, 'Can delete log entry', 17, 'delete_logentry'),
	(68, 'Can view log entry', 17, 'view_logentry'),
	(69, 'Can add permission', 19, 'add_permission'),
	(70, 'Can change permission', 19, 'change_permission'),
	(71, 'Can delete permission', 19, 'delete_permission'),
	(72, 'Can view permission', 19, 'view_permission'),
	(73, 'Can add group', 18, 'add_group'),
	(74, 'Can change group', 18, 'change_group'),
	(75, 'Can delete group', 18, 'delete_group'),
	(76, 'Can view group', 18, 'view_group'),
	(77, 'Can add user', 20, 'add_user'),
	(78, 'Can change user', 20, 'change_user'),
	(79, 'Can delete user', 20, 'delete_user'),
	(80, 'Can view user', 20, 'view_user'),
	(81, 'Can add content type', 21, 'add_contenttype'),
	(82, 'Can change content type', 21, 'change_contenttype'),
	(83, 'Can delete content type', 21, 'delete_contenttype'),
	(84, 'Can view content type', 21, 'view_contenttype'),
	(85, 'Can add session', 22, 'add_session'),
	(86, 'Can change session', 22, 'change_session'),
	(87, 'Can delete session', 22, 'delete_session'),
	(88, 'Can view session', 22, 'view_session'),
	(89, 'Can add access attempt', 23, 'add_accessattempt'),
	(90, 'Can change access attempt', 23, 'change_accessattempt'),
	(91, 'Can delete access attempt', 23, 'delete_accessattempt'),
	(92, 'Can view access attempt', 23, 'view_accessattempt'),
	(93, 'Can add access log', 26, 'add_accesslog'),
	(94, 'Can change access log', 26, 'change_accesslog'),
	(95, 'Can delete access log', 26, 'delete_accesslog'),
	(96, 'Can view access log', 26, 'view_accesslog'),
	(97, 'Can add access failure', 25, 'add_accessfailurelog'),
	(98, 'Can change access failure', 25, 'change_accessfailurelog'),
	(99, 'Can delete access failure', 25, 'delete_accessfailurelog'),
	(100, 'Can view access failure', 25, 'view_accessfailurelog');
INSERT INTO public.auth_permission VALUES
	(101, 'Can add access attempt expiration', 24, 'add_accessattemptexpiration'),
	(102, 'Can change access attempt expiration', 24, 'change_accessattemptexpiration'),
	(103, 'Can delete access attempt expiration', 24, 'delete_accessattemptexpiration'),
	(104, 'Can view access attempt expiration', 24, 'view_accessattemptexpiration'),
	(105, 'Can add Scheduled task', 29, 'add_schedule'),
	(106, 'Can change Scheduled task', 29, 'change_schedule'),
	(107, 'Can delete Scheduled task', 29, 'delete_schedule'),
	(108, 'Can view Scheduled task', 29, 'view_schedule'),
	(109, 'Can add Task', 31, 'add_task'),
	(110, 'Can change Task', 31, 'change_task'),
	(111, 'Can delete Task', 31, 'delete_task'),
	(112, 'Can view Task', 31, 'view_task'),
	(113, 'Can add Failed task', 27, 'add_failure'),
	(114, 'Can change Failed task', 27, 'change_failure'),
	(115, 'Can delete Failed task', 27, 'delete_failure'),
	(116, 'Can view Failed task', 27, 'view_failure'),
	(117, 'Can add Successful task', 30, 'add_success'),
	(118, 'Can change Successful task', 30, 'change_success'),
	(119, 'Can delete Successful task', 30, 'delete_success'),
	(120, 'Can view Successful task', 30, 'view_success'),
	(121, 'Can add Queued task', 28, 'add_ormq'),
	(122, 'Can change Queued task', 28, 'change_ormq'),
	(123, 'Can delete Queued task', 28, 'delete_ormq'),
	(124, 'Can view Queued task', 28, 'view_ormq');
INSERT INTO public.auth_user VALUES
	(1, 'md5$k3KjHOmpE4QSqSNpD3gKYU$f731ff2ea4c59f756fba422ddbb3d509', '2026-09-30 12:01:07+00', false, 'ours', '', '', '', false, true, '2026-09-30 12:01:07+00'),
	(2, 'md5$myqiRFAPECiXVQ6vKp9XB9$3d94bf05cb32fcab29516e60fc87b07b', '2026-09-30 12:01:07+00', false, 'theirs', '', '', '', false, true, '2026-09-30 12:01:07+00');
INSERT INTO public.axes_accesslog VALUES
	(1, '<unknown>', NULL, 'ours', '<unknown>', '<unknown>', '2026-09-30 12:01:07+00', NULL, '17fd3a2487731ce23a9b4a44c12589bb024fb10cb0cd41d912c9bdd098382a0c'),
	(2, '<unknown>', NULL, 'theirs', '<unknown>', '<unknown>', '2026-09-30 12:01:07+00', NULL, 'd5187e2e9868e45e32ec3ceea620dc4d3fa24aa4c07b1eea6e33b43ef6a17203');
INSERT INTO public.django_content_type VALUES
	(1, 'memory', 'agent'),
	(2, 'memory', 'agenttail'),
	(3, 'memory', 'head'),
	(4, 'memory', 'instrument'),
	(5, 'memory', 'producer'),
	(6, 'memory', 'producerenablement'),
	(7, 'memory', 'record'),
	(8, 'memory', 'recordlink'),
	(9, 'memory', 'recordtarget'),
	(10, 'memory', 'run'),
	(11, 'memory', 'selection'),
	(12, 'memory', 'token'),
	(13, 'trading', 'candle'),
	(14, 'trading', 'fundingrate'),
	(15, 'trading', 'indicatorrun'),
	(16, 'trading', 'spotpair'),
	(17, 'admin', 'logentry'),
	(18, 'auth', 'group'),
	(19, 'auth', 'permission'),
	(20, 'auth', 'user'),
	(21, 'contenttypes', 'contenttype'),
	(22, 'sessions', 'session'),
	(23, 'axes', 'accessattempt'),
	(24, 'axes', 'accessattemptexpiration'),
	(25, 'axes', 'accessfailurelog'),
	(26, 'axes', 'accesslog'),
	(27, 'django_q', 'failure'),
	(28, 'django_q', 'ormq'),
	(29, 'django_q', 'schedule'),
	(30, 'django_q', 'success'),
	(31, 'django_q', 'task');
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
	(50, 'sessions', '0001_initial', '2026-09-30 12:01:07+00');
INSERT INTO public.django_migrations VALUES
	(51, 'trading', '0001_initial', '2026-09-30 12:01:07+00');
INSERT INTO public.django_session VALUES
	('jjmerbqfa0wwk1l3zq8ot5cw42tr6llg', '.eJxVjMsOwiAQRf-FtSFQKg-X7v0GMswMUjWQlHZl_HfbpAvdnnPufYsI61Li2nmOE4mL0OL0yxLgk-su6AH13iS2usxTknsiD9vlrRG_rkf7d1Cgl22N6MAyk3aes7KoAAYXBlTeqHFM2ZoNgHcWMwWiYCwrdkh8TqS09eLzBQYZOME:1xBszj:_GWGR2GAe9JlShY9StmH6ElQF3grvjFT7O_RGKQbehQ', '2026-10-14 12:01:07+00'),
	('pjntkt8lcmsbqb99m1n3mxr3xpo0kznn', '.eJxVjDsOwjAQBe_iGlm2d_2jpOcMltcfHECOFCcV4u4QKQW0b2bei4W4rS1soyxhyuzMFDv9bhTTo_Qd5Hvst5mnua_LRHxX-EEHv865PC-H-3fQ4mjf2nmNUdoqoJInCSVjdkmBR1nJahW9RaMBXKKE1htMQoD0RQldjTOWvT_LNDbH:1xBszj:TLTnCny_CEEwYk-cK6LqQ7GvtSStsZeQmA9N10eZpzM', '2026-10-14 12:01:07+00');
INSERT INTO public.memory_agent VALUES
	('01a22d76-78ca-7746-8a56-a7fcbca1166e', 'ours', 'analysis_schedule_v2', '2026-08-31 12:01:07+00', 1),
	('01a22d76-7cc6-7495-bbb2-c33f33058c39', 'theirs', 'analysis_schedule_v2', '2026-08-31 12:01:07+00', 2);
INSERT INTO public.memory_agent_tail VALUES
	('01a22d76-78ca-7746-8a56-a7fcbca1166e', 13, 0),
	('01a22d76-7cc6-7495-bbb2-c33f33058c39', 13, 0);
INSERT INTO public.memory_head VALUES
	('BTC', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f228-5e58-76e3-a35b-542c19045d8f'),
	('ETH', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f228-5e58-76e3-a35b-542c19045d8f'),
	('BTC', 'market_context', '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f22a-3318-7550-b849-b76b027d61f3'),
	('', 'observation', '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f22f-b158-7fcd-b385-01c2b1a7cc4e'),
	('BTC', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f228-5e58-7f55-99c6-ba0021a9d840'),
	('ETH', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f228-5e58-7f55-99c6-ba0021a9d840'),
	('BTC', 'market_context', '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f22a-3318-79bc-844d-680b4a4f9527'),
	('', 'observation', '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f22f-b158-7b79-af83-b87955b41226');
INSERT INTO public.memory_instrument VALUES
	('BTC', 'perpetual', '', NULL, 0, NULL, false, true, 'test', '2026-08-31 12:01:07+00'),
	('ETH', 'perpetual', '', NULL, 0, NULL, false, true, 'test', '2026-08-31 12:01:07+00');
INSERT INTO public.memory_link VALUES
	(0, 'corrects', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a0f22b-1d78-7980-9cbd-9e64e649b606', '01a0f228-5e58-76e3-a35b-542c19045d8f'),
	(0, 'corrects', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a0f22c-07d8-7e41-acb6-9f488408939c', '01a0f228-5e58-76e3-a35b-542c19045d8f'),
	(1, 'corrects', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a0f22c-07d8-7e41-acb6-9f488408939c', '01a0f22a-3318-7550-b849-b76b027d61f3'),
	(0, 'corrects', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a0f22c-f238-756c-af0d-b6ce117c40cc', '01a0f22b-1d78-7980-9cbd-9e64e649b606'),
	(0, 'evidence', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a0f22d-dc98-7315-a062-ad69b6a19c2e', '01a0f228-5e58-76e3-a35b-542c19045d8f'),
	(0, 'corrects', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a0f22b-1d78-74ff-a2f7-79c3d41f0fbf', '01a0f228-5e58-7f55-99c6-ba0021a9d840'),
	(0, 'corrects', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a0f22c-07d8-73e0-8ebc-387a6ec75ea5', '01a0f228-5e58-7f55-99c6-ba0021a9d840'),
	(1, 'corrects', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a0f22c-07d8-73e0-8ebc-387a6ec75ea5', '01a0f22a-3318-79bc-844d-680b4a4f9527'),
	(0, 'corrects', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a0f22c-f238-7dbd-a66a-234466db03d3', '01a0f22b-1d78-74ff-a2f7-79c3d41f0fbf'),
	(0, 'evidence', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a0f22d-dc98-7a69-96b4-0d82a86d37fc', '01a0f228-5e58-7f55-99c6-ba0021a9d840');
INSERT INTO public.memory_producer VALUES
	('01a22d76-7916-77a5-9065-e797adec198c', 'analysis', 'ours-analysis', '5m', '2026-08-31 12:01:07+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e'),
	('01a22d76-7933-77a7-a22e-ec9228aae0d6', 'trading', 'ours-trading', NULL, '2026-08-31 12:01:07+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e'),
	('01a22d76-794c-7680-9373-c98f42746112', 'review', 'ours-review', NULL, '2026-08-31 12:01:07+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e'),
	('01a22d76-795b-739f-b7c8-8b06e78a2994', 'autopilot', 'ours-autopilot', NULL, '2026-08-31 12:01:07+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e'),
	('01a22d76-7ce7-70bc-966a-d1b8ab67e95d', 'analysis', 'theirs-analysis', '5m', '2026-08-31 12:01:07+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39'),
	('01a22d76-7d00-76dc-84d1-94663d4307d4', 'trading', 'theirs-trading', NULL, '2026-08-31 12:01:07+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39'),
	('01a22d76-7d18-73f8-887e-d16c3218f780', 'review', 'theirs-review', NULL, '2026-08-31 12:01:07+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39'),
	('01a22d76-7d37-75f0-98bf-c43507b2cfa1', 'autopilot', 'theirs-autopilot', NULL, '2026-08-31 12:01:07+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39');
INSERT INTO public.memory_producer_enablement VALUES
	('2026-08-31 12:01:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7933-77a7-a22e-ec9228aae0d6'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-794c-7680-9373-c98f42746112'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-795b-739f-b7c8-8b06e78a2994'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d00-76dc-84d1-94663d4307d4'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d18-73f8-887e-d16c3218f780'),
	('2026-08-31 12:01:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d37-75f0-98bf-c43507b2cfa1');
INSERT INTO public.memory_record VALUES
	('01a0f228-5e58-76e3-a35b-542c19045d8f', 1, 'observation', 'instruments', '5m', 'Ünïcode ✓ and ''quotes''
in two lines', '{"n": [0.1, null, {"a": "b"}], "x": 10000000000000000000000, "stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2", "handoff_version": 1}', '{momentum}', NULL, '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\x3b3c8bf987e8d4658257eb87ed4beaee893279cdeec414cd3e59ae527f0115cd', '\x6484c7458e8eede7b1a61fb1aa93b7e2', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f228-5e58-72be-9b7d-75e204d6e97d'),
	('01a0f11d-f338-7fe4-bd95-980348ca4377', 2, 'observation', 'instruments', NULL, 'older, written later', '{"stale_after": "2026-09-30T07:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 07:01:07+00', '2026-09-30 07:10:00+00', 'analysis_schedule_v2', '\x6880bf6549181c1010895ada44e446cc6152854787dc3cb23c1eddfcec046f4c', '\xb1ec460bfc354bb9b6a3b5ad60db3966', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f11d-f338-7553-9378-0d8f6d8f9a81'),
	('01a0f22a-3318-7550-b849-b76b027d61f3', 3, 'market_context', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\x336a0f845a81e68b61b266466411abd3126d683ee1d8303dc02541a04b925603', '\x3382c065a7097bf02c0f42651dc07d8a', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f22a-3318-7909-87f5-801d6436a9cb'),
	('01a0f22b-1d78-7980-9cbd-9e64e649b606', 4, 'observation', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x1698649add4dd637c9dbed7ba2fb66ed2cd7482e4ceb395e2d2aad3fb5e733d9', '2026-09-30 11:55:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\xa52018e52fd5ec7881a796e2868ceae1885ddb87893f3344a29200d52977cc00', '\x730a9a07222131a66dbf72b556963c5c', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f22b-1d78-7338-a03d-b01863087a56'),
	('01a0f22c-07d8-7e41-acb6-9f488408939c', 5, 'observation', 'agent', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x223635bd6066d177569c5fae41ad3c22e9c63960ddc25704a8f5175870bacd1b', '2026-09-30 11:56:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x8c028fc954b370479b62a519cd1a94339a30b579bd579fcf51dc75e0a4065654', '\x9b5022a256ab71fffe7df95144e9e779', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f22c-07d8-7d03-a7c0-333efe810fad'),
	('01a0f22c-f238-756c-af0d-b6ce117c40cc', 6, 'again', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\xb084b616915c02645892a6a61986edef4bb121b3524e1311a78f6feb53f3c22d', '2026-09-30 11:57:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\xcbf2625a4cf87940f16dfc258bd406599985ab8849864d4a6a8edbcab23937dd', '\x474187940af2fbc038c4cbc5eb23e241', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f22c-f238-75af-973a-c68d7c94f65c'),
	('01a0f22d-dc98-7315-a062-ad69b6a19c2e', 7, 'trading_decision', 'agent', NULL, 'a quiet market', '{"valid_for_seconds": 600}', '{}', NULL, '2026-09-30 11:58:07+00', '2026-09-30 12:08:07+00', NULL, '\xf3b717a1630d1ddafdac71d6b6e17510c77e2ec64c905ffda1a91319523fb066', '\xd3a5e8240ffc2e50ad77cb3ec05801e2', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7933-77a7-a22e-ec9228aae0d6', '01a0f22d-dc98-7894-8085-7756db384da0'),
	('01a0f22e-c6f8-71a8-812a-a54d5b6fd3ae', 8, 'agent_learnings', 'agent', NULL, 'wait for the close', '{}', '{}', NULL, '2026-09-30 11:59:07+00', NULL, NULL, '\x01be1c78428b11dd1d20b5c0f857876a350897796c15a50857cd9459ec66776e', '\xa10bced50d0d4c511a0dabe98dfb1195', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-794c-7680-9373-c98f42746112', '01a0f22e-c6f8-760f-980a-99e1c410a143'),
	('01a0f22f-b158-7fcd-b385-01c2b1a7cc4e', 9, 'observation', 'agent', NULL, 'agent-wide', '{"stale_after": "2026-09-30T12:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', 'analysis_schedule_v2', '\xe210b2fbd15005962cd01d8f2fa8d89f15257bad576038b4ee157294e2a68ca0', '\x899bc7f3b514ed417d6500288bbb84b0', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f22f-b158-798d-b4f5-cfe033e8f7e0'),
	('01a0f22f-b158-7430-9e00-0893cb774707', 10, 'rule', 'instruments', NULL, 'a quiet market', '{}', '{old}', NULL, '2026-09-30 12:00:07+00', NULL, NULL, '\x82df6bbc32c242f77064654082d5d5947f9e5140b8ecbf1476b3c5c2ffa6be13', '\xbaa621651bd83e809df8160094ec4d0b', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-795b-739f-b7c8-8b06e78a2994', '01a0f22f-b158-7272-8c16-d16aa8ca02ff'),
	('01a0f22f-b158-70c4-86f6-cb28de67d27f', 11, 'strategy_insight', 'instruments', NULL, 'a quiet market', '{}', '{old}', NULL, '2026-09-30 12:00:07+00', NULL, NULL, '\xfe5436177376fcacd1891b7b543a388b9f6f3c30463021fa37a71bfc381b82f4', '\x522187310d26a7f8af2ad7764a1abebf', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-795b-739f-b7c8-8b06e78a2994', '01a0f22f-b158-7652-9bbb-80d6b5017c24'),
	('01a0f22f-b158-7df2-b413-139de179db34', 12, 'optimization', 'instruments', NULL, 'a quiet market', '{}', '{old}', NULL, '2026-09-30 12:00:07+00', NULL, NULL, '\x54c1c4c00a3f3ebc0e97a31417776f21612cee056db76cea9618974be3e679de', '\x38cdec0519c80eb5e23de2591b414869', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-795b-739f-b7c8-8b06e78a2994', '01a0f22f-b158-7461-9ded-078887005141'),
	('01a0f22f-b158-7db3-885f-83c0e8313029', 13, 'rule', 'agent', NULL, 'a rule of old', '{}', '{}', NULL, '2026-09-30 12:00:07+00', NULL, NULL, '\x7229631210a288909d1d2db8485d4034e372e65324d2765f4cd843bf78db26d6', '\x9cb8c059054bfa72edc1865ab4cde14e', NULL, NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-795b-739f-b7c8-8b06e78a2994', '01a0f22f-b158-748f-8ce0-31ff69f82b93'),
	('01a0f228-5e58-7f55-99c6-ba0021a9d840', 1, 'observation', 'instruments', '5m', 'Ünïcode ✓ and ''quotes''
in two lines', '{"n": [0.1, null, {"a": "b"}], "x": 10000000000000000000000, "stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2", "handoff_version": 1}', '{momentum}', NULL, '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\x614b103760f19b026cc54308ec84795a3b09ff38f5dc06fabbbd062d93aeeae7', '\x54f31c98de6e3645bf33a49f6b08f588', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f228-5e58-7c03-b8e2-606d89a1de0c'),
	('01a0f11d-f338-74fb-9963-d8b19710211c', 2, 'observation', 'instruments', NULL, 'older, written later', '{"stale_after": "2026-09-30T07:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 07:01:07+00', '2026-09-30 07:10:00+00', 'analysis_schedule_v2', '\x5cf2b92c010076037b71670abdc7c30725c0a48a73f773d4a751aaf2cc3a0a25', '\xe9153a605f47d8c10a46e3bab0c40b4f', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f11d-f338-724b-bcda-79a1f9bac568'),
	('01a0f22a-3318-79bc-844d-680b4a4f9527', 3, 'market_context', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\x0574ba5b9a6b004a3b36e0c7fe1295f544bef44b0150f52f886fbab353b3ec7a', '\x33bc1ce3f302a71a298cf6c28fa62faf', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f22a-3318-7709-9bcb-414b0c21b5de'),
	('01a0f22b-1d78-74ff-a2f7-79c3d41f0fbf', 4, 'observation', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x18b3a6a5bd4ad192fa50cbdd8f10ae8d2ca17f15135631c952d257f9405453b0', '2026-09-30 11:55:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x1d749488a41147a5051e5dbc722e066818beb31cd33a8f953aae2c382041391e', '\x28193999a1b33fab5faafcef4701cb0c', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f22b-1d78-7e84-b24a-de9fabd0e8b9'),
	('01a0f22c-07d8-73e0-8ebc-387a6ec75ea5', 5, 'observation', 'agent', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x106ea2f3dced4c76b767d14b5b1ef37bb4d6639e95ddaa46e64930c481e2546f', '2026-09-30 11:56:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x12ea93ed07cca557956eb14123c73b89472645e8b06428af726b70a63ec4257c', '\x1c6392e663e644a7e5cc00422eb1936e', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f22c-07d8-7a6f-b673-294054630956'),
	('01a0f22c-f238-7dbd-a66a-234466db03d3', 6, 'again', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x8727b3f2394ef53dbfd65d8de3b97a6b15b5540cdd7ef605639ef68a4eec61b7', '2026-09-30 11:57:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x035e127cf55c01a258e1e54fb37bba9c47fc8e2636ae60b0c52438ae54ac1c44', '\xceda50a8171d03e33fa308aff20d0945', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f22c-f238-7a94-9b78-659a31c37b6f'),
	('01a0f22d-dc98-7a69-96b4-0d82a86d37fc', 7, 'trading_decision', 'agent', NULL, 'a quiet market', '{"valid_for_seconds": 600}', '{}', NULL, '2026-09-30 11:58:07+00', '2026-09-30 12:08:07+00', NULL, '\x435787bb32474e22a2cf1b8c61c247c43001947435b31b83333628ab92d228e3', '\xef03625657c0f309202031cd330eea75', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d00-76dc-84d1-94663d4307d4', '01a0f22d-dc98-7609-a73b-31b1e05eafc8'),
	('01a0f22e-c6f8-7d23-941d-c1802ab28262', 8, 'agent_learnings', 'agent', NULL, 'wait for the close', '{}', '{}', NULL, '2026-09-30 11:59:07+00', NULL, NULL, '\xfc0b92e443e98b6880a427011b955ef1b455108458f928488b99c07c60026d93', '\x36a7eb6a17efd51976be2ef90599d22c', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d18-73f8-887e-d16c3218f780', '01a0f22e-c6f8-721d-a22e-9ed324d2a90a'),
	('01a0f22f-b158-7b79-af83-b87955b41226', 9, 'observation', 'agent', NULL, 'agent-wide', '{"stale_after": "2026-09-30T12:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', 'analysis_schedule_v2', '\x44d19c64b6e96d2bbd33685187b5c395cb3cac4428d053a6c66be61b1db43630', '\x38dcde63cf69c6b7163c3cf9d81f7ee5', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f22f-b158-7293-b0d7-03ffdfcc510f'),
	('01a0f22f-b158-7c6b-baed-7b1328c27b4f', 10, 'rule', 'instruments', NULL, 'a quiet market', '{}', '{old}', NULL, '2026-09-30 12:00:07+00', NULL, NULL, '\x09a2bb9369ba819e9012663c6db58143c3be19807273c226b98518491332d8d9', '\xa557d131cdc4e06a6bdb889632558d9b', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', '01a0f22f-b158-7ad0-a213-392dbe28fca1'),
	('01a0f22f-b158-7212-8452-c7c33a0beee6', 11, 'strategy_insight', 'instruments', NULL, 'a quiet market', '{}', '{old}', NULL, '2026-09-30 12:00:07+00', NULL, NULL, '\xbd4e9328b86dbd77a485d949fab30bf5180909addbdab99d98f452cc8a4701d6', '\xb6ddfc7c4e21df4146150e1a6ce1e9e8', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', '01a0f22f-b158-7b1e-a02a-32e25b3df9f9'),
	('01a0f22f-b158-7579-874e-2deb33382b92', 12, 'optimization', 'instruments', NULL, 'a quiet market', '{}', '{old}', NULL, '2026-09-30 12:00:07+00', NULL, NULL, '\x3ab4f3c42347e213fb44d3a1be4fb21b77f576510dafbfe4314c206d98606a11', '\x9adc02afab82a0789a6a724d002ac933', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', '01a0f22f-b158-7d9d-8d76-6a26cd277dcc'),
	('01a0f22f-b158-798b-b358-a4f782ff9d31', 13, 'rule', 'agent', NULL, 'a rule of old', '{}', '{}', NULL, '2026-09-30 12:00:07+00', NULL, NULL, '\x3f5e03d2a6cabbfe9a8679833c7f32b2f94d6acefd3faec32b35328b1fd7bbd3', '\x403d44b3530eaa3dc471ef87902ce885', NULL, NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', '01a0f22f-b158-7299-b31f-b72a106ed805');
INSERT INTO public.memory_run VALUES
	('01a0f228-5e58-72be-9b7d-75e204d6e97d', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:52:07+00', '2026-09-30 11:52:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', NULL),
	('01a0f11d-f338-7553-9378-0d8f6d8f9a81', '5m', '2026-09-30 07:00:00+00', '2026-09-30 07:01:07+00', '2026-09-30 07:01:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', NULL),
	('01a0f22a-3318-7909-87f5-801d6436a9cb', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:54:07+00', '2026-09-30 11:54:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', NULL),
	('01a0f22b-1d78-7338-a03d-b01863087a56', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:55:07+00', '2026-09-30 11:55:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', NULL),
	('01a0f22c-07d8-7d03-a7c0-333efe810fad', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:56:07+00', '2026-09-30 11:56:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', NULL),
	('01a0f22c-f238-75af-973a-c68d7c94f65c', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:57:07+00', '2026-09-30 11:57:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', NULL),
	('01a0f22d-dc98-7894-8085-7756db384da0', NULL, NULL, '2026-09-30 11:58:07+00', '2026-09-30 11:58:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7933-77a7-a22e-ec9228aae0d6', NULL),
	('01a0f22e-c6f8-760f-980a-99e1c410a143', NULL, NULL, '2026-09-30 11:59:07+00', '2026-09-30 11:59:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-794c-7680-9373-c98f42746112', NULL),
	('01a0f22f-b158-798d-b4f5-cfe033e8f7e0', '5m', '2026-09-30 12:00:00+00', '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', NULL),
	('01a0f22f-b158-7272-8c16-d16aa8ca02ff', NULL, NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-795b-739f-b7c8-8b06e78a2994', NULL),
	('01a0f22f-b158-7652-9bbb-80d6b5017c24', NULL, NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-795b-739f-b7c8-8b06e78a2994', NULL),
	('01a0f22f-b158-7461-9ded-078887005141', NULL, NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-795b-739f-b7c8-8b06e78a2994', NULL),
	('01a0f22f-b158-748f-8ce0-31ff69f82b93', NULL, NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-795b-739f-b7c8-8b06e78a2994', NULL),
	('01a0f228-5e58-7c03-b8e2-606d89a1de0c', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:52:07+00', '2026-09-30 11:52:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', NULL),
	('01a0f11d-f338-724b-bcda-79a1f9bac568', '5m', '2026-09-30 07:00:00+00', '2026-09-30 07:01:07+00', '2026-09-30 07:01:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', NULL),
	('01a0f22a-3318-7709-9bcb-414b0c21b5de', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:54:07+00', '2026-09-30 11:54:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', NULL),
	('01a0f22b-1d78-7e84-b24a-de9fabd0e8b9', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:55:07+00', '2026-09-30 11:55:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', NULL),
	('01a0f22c-07d8-7a6f-b673-294054630956', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:56:07+00', '2026-09-30 11:56:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', NULL),
	('01a0f22c-f238-7a94-9b78-659a31c37b6f', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:57:07+00', '2026-09-30 11:57:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', NULL),
	('01a0f22d-dc98-7609-a73b-31b1e05eafc8', NULL, NULL, '2026-09-30 11:58:07+00', '2026-09-30 11:58:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d00-76dc-84d1-94663d4307d4', NULL),
	('01a0f22e-c6f8-721d-a22e-9ed324d2a90a', NULL, NULL, '2026-09-30 11:59:07+00', '2026-09-30 11:59:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d18-73f8-887e-d16c3218f780', NULL),
	('01a0f22f-b158-7293-b0d7-03ffdfcc510f', '5m', '2026-09-30 12:00:00+00', '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', NULL),
	('01a0f22f-b158-7ad0-a213-392dbe28fca1', NULL, NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', NULL),
	('01a0f22f-b158-7b1e-a02a-32e25b3df9f9', NULL, NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', NULL),
	('01a0f22f-b158-7d9d-8d76-6a26cd277dcc', NULL, NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', NULL),
	('01a0f22f-b158-7299-b31f-b72a106ed805', NULL, NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', NULL);
INSERT INTO public.memory_selection VALUES
	('01a22d76-78f5-703d-ba5f-02d3832ab79e', '2026-08-31 12:01:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', 'BTC'),
	('01a22d76-790b-763f-81af-d855700f0a6c', '2026-08-31 12:01:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', 'ETH'),
	('01a22d76-7cd4-7446-9c07-854c69faab44', '2026-08-31 12:01:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', 'BTC'),
	('01a22d76-7ce2-7794-a685-27ceca6ad1e7', '2026-08-31 12:01:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', 'ETH');
INSERT INTO public.memory_target VALUES
	(0, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', 'ETH', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f228-5e58-76e3-a35b-542c19045d8f'),
	(1, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', 'BTC', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f228-5e58-76e3-a35b-542c19045d8f'),
	(0, 'instruments', 'observation', '2026-09-30 07:01:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', 'ETH', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f11d-f338-7fe4-bd95-980348ca4377'),
	(0, 'instruments', 'market_context', '2026-09-30 11:54:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', 'BTC', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f22a-3318-7550-b849-b76b027d61f3'),
	(0, 'instruments', 'observation', '2026-09-30 11:55:07+00', '\x1698649add4dd637c9dbed7ba2fb66ed2cd7482e4ceb395e2d2aad3fb5e733d9', '01a22d76-78ca-7746-8a56-a7fcbca1166e', 'ETH', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f22b-1d78-7980-9cbd-9e64e649b606'),
	(0, 'instruments', 'again', '2026-09-30 11:57:07+00', '\xb084b616915c02645892a6a61986edef4bb121b3524e1311a78f6feb53f3c22d', '01a22d76-78ca-7746-8a56-a7fcbca1166e', 'ETH', '01a22d76-7916-77a5-9065-e797adec198c', '01a0f22c-f238-756c-af0d-b6ce117c40cc'),
	(0, 'instruments', 'rule', '2026-09-30 12:00:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', 'ETH', '01a22d76-795b-739f-b7c8-8b06e78a2994', '01a0f22f-b158-7430-9e00-0893cb774707'),
	(0, 'instruments', 'strategy_insight', '2026-09-30 12:00:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', 'ETH', '01a22d76-795b-739f-b7c8-8b06e78a2994', '01a0f22f-b158-70c4-86f6-cb28de67d27f'),
	(0, 'instruments', 'optimization', '2026-09-30 12:00:07+00', NULL, '01a22d76-78ca-7746-8a56-a7fcbca1166e', 'ETH', '01a22d76-795b-739f-b7c8-8b06e78a2994', '01a0f22f-b158-7df2-b413-139de179db34'),
	(0, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', 'ETH', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f228-5e58-7f55-99c6-ba0021a9d840'),
	(1, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', 'BTC', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f228-5e58-7f55-99c6-ba0021a9d840'),
	(0, 'instruments', 'observation', '2026-09-30 07:01:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', 'ETH', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f11d-f338-74fb-9963-d8b19710211c'),
	(0, 'instruments', 'market_context', '2026-09-30 11:54:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', 'BTC', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f22a-3318-79bc-844d-680b4a4f9527'),
	(0, 'instruments', 'observation', '2026-09-30 11:55:07+00', '\x18b3a6a5bd4ad192fa50cbdd8f10ae8d2ca17f15135631c952d257f9405453b0', '01a22d76-7cc6-7495-bbb2-c33f33058c39', 'ETH', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f22b-1d78-74ff-a2f7-79c3d41f0fbf'),
	(0, 'instruments', 'again', '2026-09-30 11:57:07+00', '\x8727b3f2394ef53dbfd65d8de3b97a6b15b5540cdd7ef605639ef68a4eec61b7', '01a22d76-7cc6-7495-bbb2-c33f33058c39', 'ETH', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', '01a0f22c-f238-7dbd-a66a-234466db03d3'),
	(0, 'instruments', 'rule', '2026-09-30 12:00:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', 'ETH', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', '01a0f22f-b158-7c6b-baed-7b1328c27b4f'),
	(0, 'instruments', 'strategy_insight', '2026-09-30 12:00:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', 'ETH', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', '01a0f22f-b158-7212-8452-c7c33a0beee6'),
	(0, 'instruments', 'optimization', '2026-09-30 12:00:07+00', NULL, '01a22d76-7cc6-7495-bbb2-c33f33058c39', 'ETH', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', '01a0f22f-b158-7579-874e-2deb33382b92');
INSERT INTO public.memory_token VALUES
	('01a22d76-7948-744e-9b2a-49caf8e71001', '48b88b916fd72bda84', '\xf4fc785d4329f9afd866c1317fcaa16dae5473dbdeba43deb6ee13e03b7a2913', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:58:07+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7933-77a7-a22e-ec9228aae0d6', NULL),
	('01a22d76-7956-721c-8df0-4dadbfb6a433', 'e41d4b5daacb05cbe5', '\x3952f4bc0df3806ec2512b0dac4c711b21a880fb6cfb476046958664bf7542b8', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:59:07+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-794c-7680-9373-c98f42746112', NULL),
	('01a22d76-7925-7771-9eab-bfa819be2d78', 'acc7c790a48cf17759', '\x0891364c81816f2e4f82910c72a5916f29ddefc340ddf21ae66503bf6c80b388', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 12:00:07+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-7916-77a5-9065-e797adec198c', NULL),
	('01a22d76-795e-7705-a2a4-a27fc0c66b4a', '109ed1dd299279f95b', '\xc06cfae7c421aecb78a7f263f186929ff33be5db3a8d8e26344a265ddc9c6f3e', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 12:00:07+00', '01a22d76-78ca-7746-8a56-a7fcbca1166e', '01a22d76-795b-739f-b7c8-8b06e78a2994', NULL),
	('01a22d76-7d12-764a-95df-08763fdec67a', '011ce79788db546cb9', '\xcc1db6d058891482f18556a20585e6b45e5d393c97dd46325b14551af07c718a', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:58:07+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d00-76dc-84d1-94663d4307d4', NULL),
	('01a22d76-7d31-7700-8b65-8968fe94b642', 'ac31896a2f8cba1ac4', '\x6b28433ef84917c72b1106abc20c512cbc638b06594b7441c15d5d79f3729545', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:59:07+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d18-73f8-887e-d16c3218f780', NULL),
	('01a22d76-7cf6-7218-ace1-69bb0332b460', 'eb63d6bbd83fe50a09', '\x85c4c54c5c9cb48d49c1346ef4cd49f99f6fcc2bf2c79d3f7e644cedaef797cf', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 12:00:07+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7ce7-70bc-966a-d1b8ab67e95d', NULL),
	('01a22d76-7d4a-7421-906d-f3d76b3d615d', '0b10139d2dc4cd948f', '\x9a8ad36e170e0c6bf02c7916159d6ba55917d650ce4fad014309aa7aa016e5d8', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 12:00:07+00', '01a22d76-7cc6-7495-bbb2-c33f33058c39', '01a22d76-7d37-75f0-98bf-c43507b2cfa1', NULL);
SELECT pg_catalog.setval('public.auth_group_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_permission_id_seq', 124, true);
SELECT pg_catalog.setval('public.auth_user_groups_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_user_id_seq', 2, true);
SELECT pg_catalog.setval('public.auth_user_user_permissions_id_seq', 1, false);
SELECT pg_catalog.setval('public.axes_accessattempt_id_seq', 1, false);
SELECT pg_catalog.setval('public.axes_accessfailurelog_id_seq', 1, false);
SELECT pg_catalog.setval('public.axes_accesslog_id_seq', 2, true);
SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, false);
SELECT pg_catalog.setval('public.django_content_type_id_seq', 31, true);
SELECT pg_catalog.setval('public.django_migrations_id_seq', 51, true);
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
ALTER TABLE ONLY public.memory_target
    ADD CONSTRAINT memory_target_pkey PRIMARY KEY (agent_id, record_id, instrument_id);
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT memory_token_key_key UNIQUE (key);
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT memory_token_pkey PRIMARY KEY (id);
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
CREATE INDEX success_index ON public.django_q_task USING btree ("group", name, func) WHERE success;
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
CREATE TRIGGER record_immutable BEFORE DELETE OR UPDATE ON public.memory_record FOR EACH ROW EXECUTE FUNCTION public.memory_record_immutable();
CREATE CONSTRAINT TRIGGER record_needs_target AFTER INSERT ON public.memory_record DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.scope)::text = 'instruments'::text)) EXECUTE FUNCTION public.memory_record_needs_target();
CREATE TRIGGER record_run_of_producer AFTER INSERT ON public.memory_record FOR EACH ROW WHEN ((new.imported_at IS NULL)) EXECUTE FUNCTION public.memory_record_run();
CREATE TRIGGER run_frozen BEFORE UPDATE ON public.memory_run FOR EACH ROW EXECUTE FUNCTION public.memory_run_frozen();
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
